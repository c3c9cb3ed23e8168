//! Kernel sources: files of cl/ that are part of the program.

/// A kernel file: its name for `#line` and its text.
pub type File = (&'static str, &'static str);

/// A file of cl/ by its name there, as a [`File`]; of two the second, with the first one's text before its own.
macro_rules! kernel_file {
    ($name:expr) => {
        ($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/cl/", $name)))
    };
    ($before:expr, $name:expr) => {
        (
            $name,
            concat!(
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/cl/", $before)),
                "#line 1 \"cl/",
                $name,
                "\"\n",
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/cl/", $name))
            ),
        )
    };
}
pub(crate) use kernel_file;

/// The same as texts of its own, as those have that are put together at run time.
pub(crate) fn owned((name, text): File) -> (String, String) {
    (name.to_owned(), text.to_owned())
}
