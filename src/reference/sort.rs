//! Sort and prefix sum (cl/neighbor/sort.cl).

/// The keys in ascending order, and for each where it stood before; equal keys keep their order.
pub fn stable_sort(keys: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.sort_by_key(|&k| keys[k as usize]);
    (order.iter().map(|&k| keys[k as usize]).collect(), order)
}

/// For each value the sum of those before it, and the sum of all, modulo 2^32.
pub fn exclusive_scan(values: &[u32]) -> (Vec<u32>, u32) {
    let mut sum = 0u32;
    let before = values.iter().map(|&value| {
        let before = sum;
        sum = sum.wrapping_add(value);
        before
    });
    (before.collect(), sum)
}
