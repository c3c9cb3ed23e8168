//! Kernel sources: files of cl/ that are part of the program.

/// A kernel file: its name for `#line` and its text.
pub type File = (&'static str, &'static str);

/// A file of cl/ by its name there, as a [`File`]; or several as one, in their order.
macro_rules! kernel_file {
    ($name:expr) => {
        ($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/cl/", $name)))
    };
    ($first:expr, $($next:expr),+) => {
        (
            concat!($first, $("+", $next),+),
            concat!(
                "#line 1 \"cl/",
                $first,
                "\"\n",
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/cl/", $first)),
                $(
                    "#line 1 \"cl/",
                    $next,
                    "\"\n",
                    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/cl/", $next)),
                )+
            ),
        )
    };
}
pub(crate) use kernel_file;

/// The same as texts of its own, as those have that are put together at run time.
pub(crate) fn owned((name, text): File) -> (String, String) {
    (name.to_owned(), text.to_owned())
}
