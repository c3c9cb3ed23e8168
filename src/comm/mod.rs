//! Ghost atoms: periodic images on one device (later, neighbours' atoms across ranks).

pub mod ghosts;
