//! The table of pair styles, and `pair_style`'s words read by it: a new pair style gets one line here.

use crate::base::error::Result;
use crate::potentials::pair::Pair;
use crate::potentials::pair::given::Overlap;
use crate::potentials::pair::scaled::Factor;
use crate::potentials::pair::style::Style;
use crate::script::{Args, Command, lammps};

/// Makes a style from the arguments of `pair_style`.
type Constructor = fn(&mut Args<'_>) -> Result<Box<dyn Style>>;

/// Every pair style of two bodies by name.
pub const STYLES: &[(&str, Constructor)] = &[
    ("beck", super::beck::new),
    ("born", super::born::new),
    ("born/coul/dsf", super::with_charges::born_dsf),
    ("born/coul/wolf", super::with_charges::born_wolf),
    ("born/gauss", super::born_gauss::new),
    ("buck", super::buck::new),
    ("buck/coul/cut", super::with_charges::buck),
    ("buck/mdf", super::mdf::buck),
    ("colloid", super::colloid::new),
    ("cosine/squared", super::cosine_squared::new),
    ("coul/cut", super::coul_cut::plain),
    ("coul/cut/soft", super::coul_cut_soft::new),
    ("coul/debye", super::coul_cut::screened),
    ("coul/dsf", super::coul_dsf::shifted_force),
    ("coul/shield", super::coul_shield::new),
    ("coul/slater/cut", super::coul_cut::slater),
    ("coul/wolf", super::coul_dsf::wolf),
    ("dpd", super::dpd::new),
    ("dpd/tstat", super::dpd::thermostat),
    ("gauss", super::gauss::new),
    ("gauss/cut", super::gauss_cut::new),
    ("harmonic/cut", super::harmonic_cut::new),
    ("lennard/mdf", super::mdf::lennard),
    ("lepton", super::lepton::new),
    ("lepton/coul", super::lepton_coul::new),
    ("list", super::list::new),
    ("lj/class2", super::nine_six::class2),
    ("lj/class2/coul/cut", super::with_charges::lj_class2),
    ("lj/cubic", super::lj_cubic::new),
    ("lj/cut", super::lj_cut::new),
    ("lj/cut/coul/cut", super::with_charges::lj_cut),
    ("lj/cut/coul/cut/soft", super::with_charges::lj_cut_soft),
    ("lj/cut/coul/debye", super::with_charges::lj_cut_debye),
    ("lj/cut/coul/dsf", super::with_charges::lj_cut_dsf),
    ("lj/cut/coul/wolf", super::with_charges::lj_cut_wolf),
    ("lj/cut/soft", super::lj_cut_soft::new),
    ("lj/expand", super::lj_expand::new),
    ("lj/expand/sphere", super::lj_expand_sphere::new),
    ("lj/gromacs", super::lj_gromacs::new),
    ("lj/mdf", super::mdf::lj),
    ("lj/sf", super::lj_smooth_linear::shifted_force),
    ("lj/smooth", super::lj_smooth::new),
    ("lj/smooth/linear", super::lj_smooth_linear::new),
    ("lj96/cut", super::nine_six::lj96_cut),
    ("mie/cut", super::mie_cut::new),
    ("morse", super::morse::new),
    ("morse/smooth/linear", super::morse_smooth_linear::new),
    ("nm/cut", super::nm_cut::new),
    ("nm/cut/coul/cut", super::with_charges::nm_cut),
    ("pedone", super::pedone::new),
    ("soft", super::soft::new),
    ("table", super::table::new),
    ("ufm", super::ufm::new),
    ("wf/cut", super::wf_cut::new),
    ("yukawa", super::yukawa::new),
    ("yukawa/colloid", super::yukawa_colloid::new),
    ("zbl", super::zbl::new),
    ("zero", super::zero::new),
];

/// Those of more than two bodies.
pub const MANY_BODY_STYLES: &[(&str, Constructor)] = &[
    ("adp", super::eam::adp::new),
    ("eam", super::eam::funcfl),
    ("eam/alloy", super::eam::alloy),
    ("eam/fs", super::eam::finnis_sinclair),
    ("eam/he", super::eam::helium),
    ("edip", super::edip::single),
    ("edip/multi", super::edip::multi),
    ("meam", super::meam::new),
    ("meam/c", super::meam::in_c),
    ("sw", super::sw::new),
    ("sw/mod", super::sw::modified),
    ("tersoff", super::tersoff::new),
    ("tersoff/mod", super::tersoff::modified),
    ("tersoff/mod/c", super::tersoff::modified_c),
    ("tersoff/zbl", super::tersoff::nuclei),
    ("vashishta", super::vashishta::new),
    ("vashishta/table", super::vashishta::tabulated),
];

/// Every pair style of either kind.
fn all() -> impl Iterator<Item = (&'static str, Constructor)> {
    STYLES.iter().chain(MANY_BODY_STYLES).copied()
}

/// A pair style without coefficients from the words of `pair_style`.
///
/// # Errors
/// At a word that does not fit.
pub(crate) fn read(args: &mut Args<'_>, types: usize) -> Result<Pair> {
    let mut factors = Vec::new();
    let (sharing, styles) = if args.accept("hybrid") {
        (Overlap::Hybrid, all_styles(args)?)
    } else if args.accept("hybrid/overlay") {
        (Overlap::Overlay, all_styles(args)?)
    } else if args.accept("hybrid/scaled") {
        let styles;
        (factors, styles) = scaled_styles(args)?.into_iter().unzip();
        (Overlap::Scaled, styles)
    } else {
        (Overlap::Plain, vec![style(args, &["hybrid", "hybrid/overlay", "hybrid/scaled"])?])
    };
    args.finish()?;
    let words: Vec<&str> = args.taken().iter().map(|word| word.text.as_str()).collect();
    let mut pair = Pair::new(styles, sharing, words.join(" "), types);
    pair.parts.iter_mut().zip(factors).for_each(|(part, factor)| part.factor = Some(factor));
    Ok(pair)
}

fn all_styles(args: &mut Args<'_>) -> Result<Vec<Box<dyn Style>>> {
    let mut styles = vec![style(args, &[])?];
    while !args.is_empty() {
        styles.push(style(args, &[])?);
    }
    Ok(styles)
}

/// Takes factors and styles, of which each one's words end before the factor of the next one.
///
/// # Errors
/// At a word that does not fit.
fn scaled_styles(args: &mut Args<'_>) -> Result<Vec<(Factor, Box<dyn Style>)>> {
    let mut styles = Vec::new();
    while styles.is_empty() || !args.is_empty() {
        let factor = match args.peek().and_then(|word| word.text.strip_prefix("v_")) {
            Some(name) => {
                args.word("a factor")?;
                Factor::Variable(name.to_owned(), f64::NAN)
            }
            None => Factor::Number(args.f64("a factor (a number or v_NAME)")?),
        };
        let rest = args.rest();
        // The next style's factor is the word before its name.
        let next = rest.iter().skip(1).position(|word| all().any(|(name, _)| name == word.text));
        let count = next.unwrap_or(rest.len()).max(1).min(rest.len());
        let words = [&[args.command_name().clone()], &rest[..count]].concat();
        let own = Command { source: args.source().clone(), words };
        let mut own = Args::new(&own);
        styles.push((factor, style(&mut own, &[])?));
        own.finish()?;
        (0..count).try_for_each(|_| args.word("a word").map(|_| ()))?;
    }
    Ok(styles)
}

/// Takes a style's name, one that is no hybrid, and its arguments; `others` may stand there as well.
pub(crate) fn style(args: &mut Args<'_>, others: &[&str]) -> Result<Box<dyn Style>> {
    let word = args.word("a pair style")?;
    match all().find(|(name, _)| *name == word.text) {
        Some((_, constructor)) => constructor(args),
        None => {
            let ours = all().map(|(name, _)| name).chain(others.iter().copied());
            Err(args.no_such_style(word, "pair style", ours, lammps::PAIR_STYLES))
        }
    }
}
