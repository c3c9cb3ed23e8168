//! `dump movie`: the pictures of `dump image` as one file: an animated GIF, or what ffmpeg makes of them by the end of the file's name. LAMMPS
//! manual, `dump movie`; CompuServe, "Graphics Interchange Format, Version 89a".

use super::super::column::{Column, Rows};
use super::super::{Frame, Settings, Style};
use super::raster::Picture;
use super::{Image, options};
use crate::base::error::{Error, Result};
use crate::base::ranks;
use crate::script::Args;
use crate::session::Session;
use std::cell::{Cell, RefCell};
use std::fs::OpenOptions;
use std::io::Write;
use std::process::{Child, Command, Stdio};

struct Movie {
    image: Image,
    /// Pictures per second, and kilobits per second where ffmpeg makes the file.
    rate: f64,
    bits: u64,
    name: String,
    frames: Cell<usize>,
    size: Cell<Option<[usize; 2]>>,
    encoder: RefCell<Option<Child>>,
}

/// Takes the words of `dump image`.
pub(crate) fn new(session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Movie {
        image: options::image(session, args)?,
        rate: 24.0,
        bits: 2000,
        name: String::new(),
        frames: Cell::new(0),
        size: Cell::new(None),
        encoder: RefCell::new(None),
    }))
}

/// Whether a file of this name is an animated GIF.
fn is_gif(name: &str) -> bool {
    name.to_lowercase().ends_with(".gif")
}

/// Whether ffmpeg is there.
fn ffmpeg() -> bool {
    let mut asked = Command::new("ffmpeg");
    asked.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    asked.status().is_ok_and(|status| status.success())
}

/// How well the colour table serves, from 1, the best, to 30, the fastest.
const QUALITY: i32 = 3;
/// The longest time of a picture in a GIF file is 65,535 hundredths of a second.
const LONGEST: f64 = 65_535.0;

impl Style for Movie {
    fn columns(&self) -> Vec<Column> {
        self.image.columns()
    }

    fn refuses(&self, name: &str) -> Option<Error> {
        if name.contains('*') {
            return Some(
                Error::new("a movie is one file, without '*'").help("dump image makes a file per picture"),
            );
        }
        if is_gif(name) || !ranks::is_first() || ffmpeg() {
            return None;
        }
        let help = "install ffmpeg, or let the name end in .gif";
        Some(Error::new("ffmpeg, which makes movies other than GIF files, is not there").help(help))
    }

    fn accept(&mut self, settings: &Settings<'_>) -> Result<()> {
        if !settings.output.is_plain() {
            return Err(Error::new("dump movie makes one file that begins anew: no compression, no append"));
        }
        settings.output.name().clone_into(&mut self.name);
        Ok(())
    }

    fn modify(&mut self, keyword: &str, args: &mut Args<'_>) -> Result<bool> {
        match keyword {
            "framerate" => {
                let place = args.peek();
                self.rate = args.positive("pictures per second")?;
                if let Some(word) = place.filter(|_| !(0.1..=100.0).contains(&self.rate)) {
                    return Err(args.error(word, "a movie has from 0.1 to 100 pictures per second"));
                }
            }
            "bitrate" => self.bits = args.count("kilobits per second", 1)?,
            _ => return self.image.modify(keyword, args),
        }
        Ok(true)
    }

    fn write(
        &self,
        frame: &Frame<'_>,
        order: &[usize],
        rows: &Rows<'_>,
        _: Option<&str>,
        out: &mut dyn Write,
    ) -> std::io::Result<()> {
        let picture = self.image.picture(frame, order, rows);
        let size = [picture.width, picture.height];
        if self.size.replace(Some(size)).is_some_and(|before| before != size) {
            return Err(std::io::Error::other("a movie's pictures must all have one size"));
        }
        if is_gif(&self.name) {
            self.add_to_gif(picture, out)?;
        } else if ranks::is_first() {
            self.send_to_ffmpeg(&picture)?;
        }
        self.frames.set(self.frames.get() + 1);
        Ok(())
    }
}

impl Movie {
    /// Adds a picture to the file. Its last byte says that it ends: that of the pictures before goes.
    fn add_to_gif(&self, mut picture: Picture, out: &mut dyn Write) -> std::io::Result<()> {
        let first = self.frames.get() == 0;
        if !first && ranks::is_first() {
            let file = OpenOptions::new().write(true).open(&self.name)?;
            let length = file.metadata()?.len();
            file.set_len(length.saturating_sub(1))?;
        }
        let [width, height] = [picture.width as u16, picture.height as u16];
        // A colour table of each picture's own: 256 that serve it best.
        let mut frame = gif::Frame::from_rgb_speed(width, height, &picture.pixels, QUALITY);
        picture.pixels.clear();
        frame.delay = (100.0 / self.rate).round().clamp(1.0, LONGEST) as u16;
        let failed = |err: gif::EncodingError| std::io::Error::other(err);
        let file = |frame: Option<&gif::Frame<'_>>| -> std::result::Result<Vec<u8>, gif::EncodingError> {
            let mut bytes = Vec::new();
            let mut encoder = gif::Encoder::new(&mut bytes, width, height, &[])?;
            if first && frame.is_some() {
                encoder.set_repeat(gif::Repeat::Infinite)?;
            }
            if let Some(frame) = frame {
                encoder.write_frame(frame)?;
            }
            drop(encoder);
            Ok(bytes)
        };
        let bytes = file(Some(&frame)).map_err(failed)?;
        // What stands before the first picture is not said again: a file of none has that and the last byte.
        let head = if first { 0 } else { file(None).map_err(failed)?.len() - 1 };
        out.write_all(&bytes[head..])
    }

    /// Hands a picture to ffmpeg, which writes the file.
    fn send_to_ffmpeg(&self, picture: &Picture) -> std::io::Result<()> {
        let mut encoder = self.encoder.borrow_mut();
        if encoder.is_none() {
            *encoder = Some(start(&self.name, self.rate, self.bits)?);
        }
        let pipe = encoder.as_mut().and_then(|child| child.stdin.as_mut());
        let mut pipe = pipe.ok_or_else(|| std::io::Error::other("ffmpeg reads nothing"))?;
        super::Format::Ppm.write(picture, &mut pipe)?;
        pipe.flush()
    }
}

/// ffmpeg, which reads pictures and writes a file. It is in a process group of its own, so that Ctrl-C ends the run, and the movie is whole.
fn start(name: &str, rate: f64, bits: u64) -> std::io::Result<Child> {
    let mut command = Command::new("ffmpeg");
    command.args([
        "-v",
        "error",
        "-y",
        "-f",
        "image2pipe",
        "-c:v",
        "ppm",
        "-framerate",
        &rate.to_string(),
        "-i",
        "-",
    ]);
    // A name is never an address of a network, whatever it looks like.
    command.args(["-b:v", &format!("{bits}k")]).arg(format!("file:{name}"));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn()
}

impl Drop for Movie {
    /// Ends the file.
    fn drop(&mut self) {
        if let Some(mut child) = self.encoder.take() {
            drop(child.stdin.take());
            if !child.wait().is_ok_and(|status| status.success()) {
                log::warn!("ffmpeg could not make {}", self.name);
            }
        }
    }
}
