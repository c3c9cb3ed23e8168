//! Numbers as C's `%g` prints them, fast.

/// C's `%g` at the end of a text, several times faster than by exact digits; `false` where it cannot be sure.
///
/// Six significant digits are |x| * 10^k rounded to an integer of six digits. The product is off by at most
/// one part in 2^53, so its rounding is certain unless it lies very near a half.
pub(super) fn six(x: f64, text: &mut Vec<u8>) -> bool {
    let size = x.abs();
    let decimals = match size {
        _ if !(1e-4..999_999.0).contains(&size) => None,
        _ if size >= 1e5 => Some(0),
        _ if size >= 1e4 => Some(1),
        _ if size >= 1e3 => Some(2),
        _ if size >= 1e2 => Some(3),
        _ if size >= 1e1 => Some(4),
        _ if size >= 1e0 => Some(5),
        _ if size >= 1e-1 => Some(6),
        _ if size >= 1e-2 => Some(7),
        _ if size >= 1e-3 => Some(8),
        _ => Some(9),
    };
    const POWERS: [f64; 10] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
    let fast = decimals.and_then(|decimals: usize| {
        let scaled = size * POWERS[decimals];
        let certain = (scaled - scaled.floor() - 0.5).abs() > 1e-6;
        certain.then_some((decimals, (scaled + 0.5) as u64))
    });
    let Some((mut decimals, mut digits)) = fast else {
        if x == 0.0 {
            text.extend_from_slice(if x.is_sign_negative() { b"-0" } else { b"0" });
        }
        return x == 0.0;
    };
    while decimals > 0 && digits % 10 == 0 {
        digits /= 10;
        decimals -= 1;
    }
    if x < 0.0 {
        text.push(b'-');
    }
    let power = 10_u64.pow(decimals as u32);
    let mut buffer = itoa::Buffer::new();
    text.extend_from_slice(buffer.format(digits / power).as_bytes());
    if decimals > 0 {
        // The fraction with its leading zeros: those of (power + fraction) after its first digit.
        text.push(b'.');
        text.extend_from_slice(&buffer.format(power + digits % power).as_bytes()[1..]);
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::base::format::{Conversion, Spec, push_g6};

    fn fast(x: f64) -> String {
        let mut text = Vec::new();
        push_g6(x, &mut text);
        String::from_utf8(text).expect("ASCII")
    }

    fn exact(x: f64) -> String {
        let sign = if x.is_sign_negative() { "-" } else { "" };
        format!("{sign}{}", Spec::plain(Conversion::General).exactly(x.abs()))
    }

    #[test]
    fn fast_numbers_at_the_edges() {
        // As C's printf("%g") has them.
        for (x, expected) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-0.5, "-0.5"),
            (0.0001, "0.0001"),
            (0.00099999999, "0.001"),
            (0.000012345, "1.2345e-05"),
            (99999.95, "99999.9"),
            (99999.96, "100000"),
            (999999.0, "999999"),
            (999999.5, "1e+06"),
            (1234567.0, "1.23457e+06"),
            (0.10000049, "0.1"),
            (0.1000005, "0.100001"),
            (2.5000005, "2.5"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(fast(x), expected, "{x:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn fast_numbers_are_exact(x in -2e6..2e6, exponent in -8..8_i32, digits in 0..1_000_000_u32) {
            let x = x * 10_f64.powi(-exponent.abs());
            proptest::prop_assert_eq!(fast(x), exact(x));
            // Right at and beside the halves.
            let half = (f64::from(digits) + 0.5) * 10_f64.powi(exponent);
            for y in [half, f64::from_bits(half.to_bits() + 1), f64::from_bits(half.to_bits() - 1)] {
                proptest::prop_assert_eq!(fast(y), exact(y));
            }
        }
    }
}
