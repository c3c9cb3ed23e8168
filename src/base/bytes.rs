//! Columns of numbers as byte strings (little endian), for `#[serde(with = "bytes")]`: many times faster than number by
//! number, and to the bit.

use bytemuck::Pod;
use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};
use std::marker::PhantomData;

#[cfg(target_endian = "big")]
compile_error!("restart files hold the host's bytes, which must be little endian");

/// Writes the numbers.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<T: Pod, S: Serializer>(values: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytemuck::cast_slice(values))
}

/// Reads the numbers.
///
/// # Errors
/// When the bytes are no whole number of values.
pub fn deserialize<'de, T: Pod, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    struct Bytes<T>(PhantomData<T>);

    impl<T: Pod> Visitor<'_> for Bytes<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "values of {} bytes each", size_of::<T>())
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<T>, E> {
            if !bytes.len().is_multiple_of(size_of::<T>()) {
                return Err(E::invalid_length(bytes.len(), &self));
            }
            Ok(bytemuck::allocation::pod_collect_to_vec(bytes))
        }

        fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Vec<T>, E> {
            self.visit_bytes(&bytes)
        }
    }

    deserializer.deserialize_byte_buf(Bytes(PhantomData))
}
