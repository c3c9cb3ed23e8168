//! Settings of damped dynamics (`min_style fire`, `quickmin`). It runs in `run/minimize/damped.rs`.

/// `min_modify integrator`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Integrator {
    EulerImplicit,
    Verlet,
    LeapFrog,
    EulerExplicit,
}

pub(crate) const INTEGRATORS: [(&str, Integrator); 4] = [
    ("eulerimplicit", Integrator::EulerImplicit),
    ("verlet", Integrator::Verlet),
    ("leapfrog", Integrator::LeapFrog),
    ("eulerexplicit", Integrator::EulerExplicit),
];

/// What steers FIRE.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    pub(crate) integrator: Integrator,
    /// The bias that corrects for the number of steps since the last turn.
    pub(crate) abc: bool,
    /// Steps downhill before the time step grows.
    pub(crate) delay: i64,
    /// Factors of the time step.
    pub(crate) grow: f64,
    pub(crate) shrink: f64,
    /// Share of the velocity that turns towards the force, and what it shrinks by.
    pub(crate) alpha0: f64,
    pub(crate) alpha_shrink: f64,
    /// Bounds of the time step, as factors of the script's.
    pub(crate) longest: f64,
    pub(crate) shortest: f64,
    pub(crate) half_step_back: bool,
    pub(crate) initial_delay: bool,
    /// Steps uphill in a row after which the search gives up.
    pub(crate) most_uphill: i64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            integrator: Integrator::EulerImplicit,
            abc: false,
            delay: 20,
            grow: 1.1,
            shrink: 0.5,
            alpha0: 0.25,
            alpha_shrink: 0.99,
            longest: 10.0,
            shortest: 0.02,
            half_step_back: true,
            initial_delay: true,
            most_uphill: 2000,
        }
    }
}

impl Settings {
    /// The lines of the log that name the parameters.
    pub(crate) fn describe(&self, dmax: f64) -> String {
        let name = INTEGRATORS.iter().find(|(_, integrator)| *integrator == self.integrator);
        let yes = |yes: bool| if yes { "yes" } else { "no" };
        format!(
            "  Parameters for fire: dmax {dmax}, delaystep {}, dtgrow {}, dtshrink {}, alpha0 {}, alphashrink {}, \
             tmax {}, tmin {}, integrator {}, halfstepback {}, abcfire {}",
            self.delay,
            self.grow,
            self.shrink,
            self.alpha0,
            self.alpha_shrink,
            self.longest,
            self.shortest,
            name.map_or("", |(name, _)| name),
            yes(self.half_step_back),
            yes(self.abc),
        )
    }
}
