//! How work-items that lie side by side exchange values (cl/common/exchange.cl).

use super::{Defines, DeviceInfo, DeviceKind};
use serde::{Deserialize, Serialize};

/// A way for work-items side by side to exchange values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exchange {
    /// Through local memory, between barriers: on every device.
    Local,
    /// In the registers of a sub-group (`cl_khr_subgroup_shuffle`).
    Subgroups,
    /// In those of NVIDIA's warps, whose compiler takes PTX.
    Ptx,
}

impl Exchange {
    /// The best one for `lanes` work-items, a power of two. Sub-groups must hold as many.
    pub fn of(device: &DeviceInfo, lanes: usize) -> Self {
        let has = |name: &str| device.extensions.iter().any(|extension| extension == name);
        let sized = has("cl_intel_required_subgroup_size");
        let wide_enough = match device.kind {
            // Intel's runtime for CPUs has sub-groups of more than one work-item only where its vectoriser may work;
            // `prepare_environment` tells it not to, unless the user has said 0.
            DeviceKind::Cpu => {
                sized && std::env::var("CL_CONFIG_CPU_VECTORIZER_MODE").is_ok_and(|mode| mode == "0")
            }
            _ => sized || device.simd >= lanes,
        };
        match () {
            () if device.is_nvidia() && device.simd == 32 => Exchange::Ptx,
            () if has("cl_khr_subgroup_shuffle") && wide_enough => Exchange::Subgroups,
            () => Exchange::Local,
        }
    }

    /// What tells cl/common/exchange.cl.
    pub fn define(self, defines: Defines) -> Defines {
        match self {
            Exchange::Local => defines,
            Exchange::Subgroups => defines.set("EXCHANGE_SUBGROUPS", 1),
            Exchange::Ptx => defines.set("EXCHANGE_PTX", 1),
        }
    }

    /// Whether it takes no local memory.
    pub fn in_registers(self) -> bool {
        self != Exchange::Local
    }
}
