//! Numbers as C's printf prints them: LAMMPS's output formats are printf conversions.
//!
//! Source: ISO C17, 7.21.6.1. Rust's own formatting supplies the correctly rounded digits; this file
//! supplies `%g`'s choice of notation and C's flags, widths and exponents.

mod percent_g;

use crate::base::error::{Error, Result};
use percent_g::six;

/// The largest width and precision accepted: more can only be a mistake.
const MAX_FIELD: usize = 100;

/// C's `%.{precision}g` of `x`.
///
/// ```
/// assert_eq!(clamps::base::format::g(1.0 / 3.0, 6), "0.333333");
/// assert_eq!(clamps::base::format::g(1e20, 15), "1e+20");
/// ```
pub fn g(x: f64, precision: usize) -> String {
    let spec = Spec { precision: Some(precision.min(MAX_FIELD)), ..Spec::plain(Conversion::General) };
    spec.float(x)
}

/// `%g` at the end of a text.
pub(crate) fn push_g6(x: f64, text: &mut Vec<u8>) {
    if !six(x, text) {
        text.extend_from_slice(g(x, 6).as_bytes());
    }
}

/// The fewest digits that read back to the same number, with an exponent below 1e-4 and from 1e16 on.
///
/// ```
/// assert_eq!(clamps::base::format::shortest(500.0), "500");
/// assert_eq!(clamps::base::format::shortest(0.1), "0.1");
/// assert_eq!(clamps::base::format::shortest(-1e20), "-1e+20");
/// ```
pub fn shortest(x: f64) -> String {
    let scientific = format!("{x:e}");
    let exponent =
        scientific.split_once('e').and_then(|(mantissa, e)| Some((mantissa, e.parse::<i32>().ok()?)));
    match exponent {
        Some((mantissa, e)) if !(-4..16).contains(&e) => {
            format!("{mantissa}e{}{:02}", if e < 0 { '-' } else { '+' }, e.abs())
        }
        _ => x.to_string(),
    }
}

/// The letter that ends a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Conversion {
    /// `%d`, `%i`, `%u`.
    Integer,
    /// `%f`.
    Fixed,
    /// `%e`.
    Exponent,
    /// `%g`.
    General,
    /// `%s`.
    Text,
}

/// One printf conversion with the literal text around it, such as `"T = %-12.6g|"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    prefix: String,
    suffix: String,
    left: bool,
    plus: bool,
    space: bool,
    zero: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    conversion: Conversion,
    /// `%E`, `%F`, `%G`: capital letters.
    upper: bool,
}

impl Spec {
    fn plain(conversion: Conversion) -> Self {
        Spec {
            prefix: String::new(),
            suffix: String::new(),
            left: false,
            plus: false,
            space: false,
            zero: false,
            alternate: false,
            width: 0,
            precision: None,
            conversion,
            upper: false,
        }
    }

    /// Reads a format with exactly one conversion out of `%d %i %u %e %f %g %s` (and `%E %F %G`), with
    /// flags `- + space 0 #`, width, precision and the length letters of C (without effect); `%%` in
    /// the text around it is a percent sign.
    ///
    /// # Errors
    /// When there is no conversion, more than one, an unknown one, or a width or precision above 100.
    pub fn parse(format: &str) -> Result<Self> {
        let fail = |why: &str| {
            Error::new(format!("bad format '{format}': {why}"))
                .help("a format is one printf conversion, such as %d, %g, %12.6f or %-15.8e")
        };
        let mut spec = Spec::plain(Conversion::Text);
        let mut found = false;
        let mut chars = format.chars().peekable();
        while let Some(c) = chars.next() {
            let text = if found { &mut spec.suffix } else { &mut spec.prefix };
            if c != '%' {
                text.push(c);
                continue;
            }
            if chars.next_if_eq(&'%').is_some() {
                text.push('%');
                continue;
            }
            if found {
                return Err(fail("more than one conversion"));
            }
            found = true;
            while let Some(flag) = chars.next_if(|c| "-+ 0#".contains(*c)) {
                match flag {
                    '-' => spec.left = true,
                    '+' => spec.plus = true,
                    ' ' => spec.space = true,
                    '0' => spec.zero = true,
                    _ => spec.alternate = true,
                }
            }
            spec.width = number(&mut chars).ok_or_else(|| fail("the width is above 100"))?;
            if chars.next_if_eq(&'.').is_some() {
                let precision = number(&mut chars).ok_or_else(|| fail("the precision is above 100"))?;
                spec.precision = Some(precision);
            }
            while chars.next_if(|c| "hlLqjzt".contains(*c)).is_some() {}
            let letter = chars.next().ok_or_else(|| fail("the conversion has no letter"))?;
            spec.upper = letter.is_ascii_uppercase();
            spec.conversion = match letter {
                'd' | 'i' | 'u' => Conversion::Integer,
                'f' | 'F' => Conversion::Fixed,
                'e' | 'E' => Conversion::Exponent,
                'g' | 'G' => Conversion::General,
                's' => Conversion::Text,
                _ => return Err(fail(&format!("unknown conversion %{letter}"))),
            };
        }
        if found { Ok(spec) } else { Err(fail("no conversion")) }
    }

    /// Whether this is `%d`, `%i` or `%u`.
    pub fn is_int(&self) -> bool {
        self.conversion == Conversion::Integer
    }

    /// Whether this is `%e`, `%f` or `%g`.
    pub fn is_float(&self) -> bool {
        matches!(self.conversion, Conversion::Fixed | Conversion::Exponent | Conversion::General)
    }

    /// Whether this is `%s`.
    pub fn is_text(&self) -> bool {
        self.conversion == Conversion::Text
    }

    /// A real number. `%d` prints its integral part (what a C cast to int64 keeps), `%s` prints `%.15g`.
    pub fn float(&self, x: f64) -> String {
        let digits = match self.conversion {
            #[expect(clippy::cast_possible_truncation, reason = "truncation is what is asked for")]
            Conversion::Integer => return self.int(x as i64),
            Conversion::Text => return self.text(&g(x, 15)),
            _ if !x.is_finite() => String::from(if x.is_nan() { "nan" } else { "inf" }),
            Conversion::Fixed => self.fixed(x.abs(), self.precision.unwrap_or(6)),
            Conversion::Exponent => self.exponent(x.abs(), self.precision.unwrap_or(6)),
            Conversion::General => self.general(x.abs()),
        };
        let digits = if self.upper { digits.to_uppercase() } else { digits };
        self.pad(self.sign(x.is_sign_negative()), &digits, self.zero && x.is_finite())
    }

    /// An integer. `%e`, `%f` and `%g` print it as a real number.
    pub fn int(&self, n: i64) -> String {
        match self.conversion {
            Conversion::Integer => {
                let mut digits = n.unsigned_abs().to_string();
                if let Some(least) = self.precision {
                    // C: a precision is the least number of digits, and zero prints nothing at %.0d.
                    digits = if least == 0 && n == 0 { String::new() } else { format!("{digits:0>least$}") };
                }
                self.pad(self.sign(n < 0), &digits, self.zero && self.precision.is_none())
            }
            Conversion::Text => self.text(&n.to_string()),
            _ => self.float(n as f64),
        }
    }

    /// Text, with `%s`'s width and precision (the most characters printed); other conversions keep only
    /// the width.
    pub fn text(&self, text: &str) -> String {
        let most = if self.is_text() { self.precision.unwrap_or(usize::MAX) } else { usize::MAX };
        let text: String = text.chars().take(most).collect();
        self.pad("", &text, false)
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    fn pad(&self, sign: &str, digits: &str, zeros: bool) -> String {
        let fill = self.width.saturating_sub(sign.len() + digits.chars().count());
        let Spec { prefix, suffix, .. } = self;
        if self.left {
            format!("{prefix}{sign}{digits}{:fill$}{suffix}", "")
        } else if zeros {
            format!("{prefix}{sign}{:0>fill$}{digits}{suffix}", "")
        } else {
            format!("{prefix}{:fill$}{sign}{digits}{suffix}", "")
        }
    }

    fn fixed(&self, x: f64, precision: usize) -> String {
        let point = if self.alternate && precision == 0 { "." } else { "" };
        format!("{x:.precision$}{point}")
    }

    /// C writes a sign and at least two digits of exponent, Rust neither.
    fn exponent(&self, x: f64, precision: usize) -> String {
        let text = format!("{x:.precision$e}");
        let (mantissa, exponent) = text.split_once('e').expect("{:e} writes an exponent");
        let point = if self.alternate && precision == 0 { "." } else { "" };
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(digits) => ('-', digits),
            None => ('+', exponent),
        };
        format!("{mantissa}{point}e{sign}{exponent:0>2}")
    }

    /// C: with P significant digits and the exponent X that `%e` would print, `%f` notation when
    /// P > X >= -4, else `%e`; trailing zeros go unless `#` keeps them.
    fn general(&self, x: f64) -> String {
        let mut text = Vec::new();
        if self.precision.unwrap_or(6) == 6 && !self.alternate && six(x, &mut text) {
            return String::from_utf8(text).expect("digits");
        }
        self.exactly(x)
    }

    fn exactly(&self, x: f64) -> String {
        let digits = self.precision.unwrap_or(6).max(1);
        let scientific = format!("{x:.*e}", digits - 1);
        let exponent: i32 =
            scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).expect("{:e} writes an exponent");
        let decimals = digits as i32 - 1 - exponent;
        if exponent >= -4 && decimals >= 0 {
            let text = self.fixed(x, decimals as usize);
            if self.alternate { text } else { trim_zeros(&text).to_owned() }
        } else {
            let text = self.exponent(x, digits - 1);
            if self.alternate {
                return text;
            }
            let (mantissa, exponent) = text.split_once('e').expect("written above");
            format!("{}e{exponent}", trim_zeros(mantissa))
        }
    }
}

/// Takes the digits of a width or precision: 0 when there are none, `None` above [`MAX_FIELD`].
fn number(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<usize> {
    let mut n = 0;
    while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
        n = n * 10 + digit as usize;
        chars.next();
        if n > MAX_FIELD {
            return None;
        }
    }
    Some(n)
}

/// Drops the zeros at the end of a fraction, and the point when nothing follows it.
fn trim_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// `value` printed with a format of one conversion.
///
/// # Errors
/// As [`Spec::parse`].
pub fn format_printf(format: &str, value: f64) -> Result<String> {
    Ok(Spec::parse(format)?.float(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_what_c_prints() {
        let mut checked = 0;
        let table = include_str!("../../tests/data/printf.tsv");
        for row in table.lines().filter(|row| !row.starts_with("# ")) {
            let [format, value, expected] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
            let spec = Spec::parse(format).expect(format);
            let printed = if spec.is_int() {
                spec.int(value.parse().expect(value))
            } else {
                spec.float(value.parse().expect(value))
            };
            assert_eq!(printed, expected, "{format} of {value}");
            checked += 1;
        }
        assert!(checked > 700, "{checked} rows");
    }

    #[test]
    fn text_and_mixed_kinds() {
        let print = |format: &str, text: &str| Spec::parse(format).expect(format).text(text);
        assert_eq!(print("%s", "abc"), "abc");
        assert_eq!(print("%5s|", "abc"), "  abc|");
        assert_eq!(print("<%-5.2s>", "abc"), "<ab   >");
        assert_eq!(format_printf("%d", -2.9).expect("valid"), "-2");
        assert_eq!(format_printf("100%% of %g %%", 2.0).expect("valid"), "100% of 2 %");
        assert_eq!(Spec::parse("%8.3f").expect("valid").int(7), "   7.000");
    }

    #[test]
    fn bad_formats_are_errors() {
        for format in
            ["", "abc", "%", "%q", "%d %d", "%101d", "%.101f", "%99999999999999999999d", "%%", "%*d"]
        {
            assert!(Spec::parse(format).is_err(), "{format}");
        }
    }

    proptest::proptest! {
        #[test]
        fn seventeen_digits_round_trip(x: f64) {
            let back: f64 = g(x, 17).parse().expect("a number");
            proptest::prop_assert!(back == x || x.is_nan());
        }

        #[test]
        fn parse_never_panics(format: String) {
            if let Ok(spec) = Spec::parse(&format) {
                spec.float(1.5);
                spec.int(-3);
                spec.text("x");
            }
        }
    }
}
