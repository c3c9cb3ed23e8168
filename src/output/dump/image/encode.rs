//! Pictures as files: PNG (RFC 2083), JPEG and PPM.

use super::raster::Picture;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use jpeg_encoder::{ColorType, Encoder};
use std::io::{Error, Result, Write};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Format {
    Png,
    Jpeg,
    #[default]
    Ppm,
}

impl Format {
    /// By the end of a file's name, as in LAMMPS: what is nothing else is PPM.
    pub(super) fn of(name: &str) -> Self {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_lowercase();
        match &*ending {
            "png" => Format::Png,
            "jpg" | "jpeg" => Format::Jpeg,
            _ => Format::Ppm,
        }
    }

    pub(super) fn write(self, picture: &Picture, out: &mut dyn Write) -> Result<()> {
        let Picture { width, height, pixels } = picture;
        match self {
            Format::Ppm => {
                write!(out, "P6\n{width} {height}\n255\n")?;
                out.write_all(pixels)
            }
            Format::Jpeg => {
                let mut bytes = Vec::new();
                Encoder::new(&mut bytes, 100)
                    .encode(pixels, *width as u16, *height as u16, ColorType::Rgb)
                    .map_err(Error::other)?;
                out.write_all(&bytes)
            }
            Format::Png => {
                out.write_all(b"\x89PNG\r\n\x1a\n")?;
                let sizes = [(*width as u32).to_be_bytes(), (*height as u32).to_be_bytes()].concat();
                // Eight bits a part, red, green and blue, no interlacing.
                chunk(b"IHDR", &[&sizes[..], &[8, 2, 0, 0, 0]].concat(), out)?;
                let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
                for row in pixels.chunks(3 * width) {
                    packed.write_all(&[0])?;
                    packed.write_all(row)?;
                }
                chunk(b"IDAT", &packed.finish()?, out)?;
                chunk(b"IEND", &[], out)
            }
        }
    }
}

/// A part of a PNG file: length, name, bytes and check sum.
fn chunk(name: &[u8; 4], bytes: &[u8], out: &mut dyn Write) -> Result<()> {
    let mut sum = flate2::Crc::new();
    sum.update(name);
    sum.update(bytes);
    out.write_all(&(bytes.len() as u32).to_be_bytes())?;
    out.write_all(name)?;
    out.write_all(bytes)?;
    out.write_all(&sum.sum().to_be_bytes())
}
