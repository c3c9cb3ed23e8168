//! What computes of temperatures measure.

use crate::session::compute::Values;

/// The thermal motion of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thermal {
    /// Sum of m v_a v_b, bias taken off, in energy units: xx yy zz xy xz yz.
    pub tensor: [f64; 6],
    /// Degrees of freedom.
    pub freedom: f64,
}

impl Thermal {
    /// 2 E_kin = dof kB T; 0 without degrees of freedom.
    pub fn temperature(&self, boltz: f64) -> f64 {
        let sum: f64 = self.tensor[..3].iter().sum();
        if self.freedom > 0.0 { sum / (self.freedom * boltz) } else { 0.0 }
    }

    /// As a compute shows it, in units where energy per temperature is `boltz`: the temperature, and the tensor of m v v as a vector.
    pub fn values(&self, boltz: f64) -> Values {
        let scalar = Some(self.temperature(boltz));
        Values { scalar, vector: self.tensor.to_vec(), ..Values::default() }
    }
}
