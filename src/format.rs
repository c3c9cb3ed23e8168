//! Numbers as C's printf prints them. Stand-in until the real one is merged.

/// C's `%.{precision}g` of `x`.
pub fn g(x: f64, precision: usize) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let digits = precision.max(1) - 1;
    let e = format!("{x:.digits$e}");
    let (mantissa, exponent) = e.split_once('e').unwrap_or((&e, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |s: &str| {
        if s.contains('.') { s.trim_end_matches('0').trim_end_matches('.').to_owned() } else { s.to_owned() }
    };
    if exponent < -4 || exponent >= precision as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trim(mantissa), exponent.abs())
    } else {
        let places = (digits as i32 - exponent).max(0) as usize;
        trim(&format!("{x:.places$}"))
    }
}
