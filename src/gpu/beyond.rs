//! Where runtimes do more than OpenCL promises, or less: the one place that says which, and why.
//!
//! More is used only on runtimes where it has been shown to work. Less is kept clear of, with the version where it was seen
//! (docs/portability.md).

use super::{DeviceInfo, DeviceKind};

impl DeviceInfo {
    /// The kind of device for which work is cut up. Mesa's llvmpipe is a CPU, but it makes vectors of work-items as a GPU does, and a
    /// work-item's loops end after 65,535 turns, all of its loops together (seen in Mesa 22.3.6): a work-item that takes many atoms,
    /// as on other CPUs, would leave some of them out, and one that makes several steps would leave them in the middle.
    pub fn shaped_as(&self) -> DeviceKind {
        if self.is_llvmpipe() { DeviceKind::Gpu } else { self.kind }
    }

    /// Whether clang's `__builtin_prefetch` becomes an instruction of the processor: where the runtime compiles for CPUs by clang's own
    /// backend. Runtimes that go by SPIR-V (rusticl of Mesa 22.3.6, Intel's driver for GPUs) end the process there.
    pub fn fetches_ahead(&self) -> bool {
        self.is_pocl() || self.is_intel_cpu()
    }

    /// Whether the body of a long kernel is better a function by itself. PoCL makes several functions of each kernel, for ways to launch it, each
    /// with all that is inline (three in 3.1, two in 7). Oclgrind knows no inline function with a `restrict` pointer.
    pub fn wants_bodies_apart(&self) -> bool {
        self.is_pocl() && self.kind == DeviceKind::Cpu || self.is_simulator
    }

    /// Whether this program has been tried on such devices: all else is checked before its first run (`clamps doctor`).
    pub fn is_tried(&self) -> bool {
        self.makes_several_steps() && !(self.is_pocl() && self.kind != DeviceKind::Cpu)
    }

    /// Whether work-groups of a launch have been seen to wait for one another, or one work-item to make many steps (cl/step/barrier.cl).
    pub fn makes_several_steps(&self) -> bool {
        let is_nvidias_gpu = self.kind == DeviceKind::Gpu && self.is_nvidia();
        self.is_pocl() || self.is_intel_cpu() || self.is_simulator || is_nvidias_gpu
    }

    /// Whether NVIDIA has made it.
    pub fn is_nvidia(&self) -> bool {
        self.vendor.contains("NVIDIA")
    }

    /// Whether a compute unit has little more local memory than one work-group may take (64 KB of 64 or 128: AMD's and Intel's GPUs), so that this
    /// limits how many are there at a time. NVIDIA's have two to five times as much.
    pub fn groups_share_little(&self) -> bool {
        !self.is_nvidia() && self.local_memory >= 64 << 10
    }

    /// Whether the compiler can be told how many registers a work-item may take.
    pub fn limits_registers(&self) -> bool {
        self.extensions.iter().any(|extension| extension == "cl_nv_compiler_options")
    }

    /// Registers of a work-item at most where so many are on a compute unit at a time, where the compiler can be told
    /// ([`register_limit`]) and more would do: what does not fit waits in memory.
    pub fn registers_of(&self, items_of_unit: usize) -> Option<usize> {
        /// 32-bit registers of a compute unit of NVIDIA's GPUs, from compute capability 3.0 on; a work-item has 255 at most, by eights.
        const REGISTERS: usize = 1 << 16;
        const MOST: usize = 255;
        /// Work-items of a unit in whole warps of 32 for each of its four parts, which have a quarter of the registers each.
        const ITEMS: usize = 4 * 32;
        let share = REGISTERS / items_of_unit.max(1).next_multiple_of(ITEMS) / 8 * 8;
        (self.limits_registers() && share < MOST).then(|| share.max(32))
    }

    /// The largest work-group of a kernel for which the runtime has `stated` one. Rusticl says the width of its sub-groups for all kernels,
    /// those included that ask for larger groups, and runs as many work-items as the device takes (seen in Mesa 22.3.6).
    pub fn largest_group(&self, stated: usize) -> usize {
        if self.platform == "rusticl" { self.max_work_group } else { stated }
    }

    /// The most neighbours of an atom, as expected by the density, whose lists have been seen whole; `None` where any number will do.
    /// On llvmpipe a work-item's part of the list builder must stay within the turns of its loops: at 530 neighbours two fifths are lost.
    pub fn most_neighbors(&self) -> Option<f64> {
        self.is_llvmpipe().then_some(400.0)
    }

    /// Mesa's OpenCL on the CPU.
    pub fn is_llvmpipe(&self) -> bool {
        self.name.contains("llvmpipe")
    }

    fn is_intel_cpu(&self) -> bool {
        self.kind == DeviceKind::Cpu && self.platform.starts_with("Intel")
    }
}

/// The build option of so many registers per work-item at most. NVIDIA's compiler leaves out of account kernels that say how large their
/// work-groups are.
pub fn register_limit(registers: usize) -> String {
    format!(" -cl-nv-maxrregcount={registers}")
}
