//! Shapes and skins that were chosen by measuring: what `clamps tune`, `-tune auto` and `-skin auto` leave in the user's
//! cache, and how later runs find it.

pub mod search;
pub mod skin;
pub mod trial;
