//! The clips, in the file's order.

mod idle;
mod jump;
mod long;
mod spin;
mod turn;
mod walk;
mod weapon;

use super::film::Film;

pub fn all() -> Vec<Film> {
    vec![
        walk::walk(),
        walk::walk_root_motion(),
        walk::run(),
        idle::idle(),
        turn::turn_90(),
        jump::jump(),
        weapon::two_hand_weapon(),
        spin::spin(),
        long::long(),
    ]
}
