//! The program as a person runs it: a process of its own on a screen, used with the keyboard, quit, started again.
#![cfg(all(feature = "gui", target_os = "linux"))]

#[allow(dead_code)] // Other tests need more of it.
#[path = "saving/source.rs"]
mod source;

use posepress::session::Sidecar;
use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    ConnectionExt as _, ImageFormat, InputFocus, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, Keycode,
    Keysym, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

const PROGRAM: &str = env!("CARGO_BIN_EXE_posepress");
const PATIENCE: Duration = Duration::from_mins(2);

/// Fills of the marks before clips: approved, and approved but changed since.
const APPROVED: [u8; 3] = [82, 201, 138];
const STALE: [u8; 3] = [232, 192, 74];

mod keys {
    pub const RETURN: u32 = 0xff0d;
    pub const ESCAPE: u32 = 0xff1b;
    pub const SHIFT: u32 = 0xffe1;
    pub const CONTROL: u32 = 0xffe3;
}

/// A screen that nobody sees.
struct Screen {
    server: Child,
    display: String,
    connection: RustConnection,
    root: Window,
    /// Keysyms a keycode, from `first`.
    keymap: Vec<Keysym>,
    width: usize,
    first: Keycode,
}

impl Screen {
    /// `None` where there is no Xvfb.
    fn start() -> Option<Self> {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1600x1000x24"])
            .args(["-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut number = String::new();
        let out = server.stdout.take().expect("a pipe");
        BufReader::new(out).read_line(&mut number).expect("read");
        let display = format!(":{}", number.trim());
        let (connection, screen) = x11rb::connect(Some(&display)).expect("connected");
        let setup = connection.setup();
        let (root, first) = (setup.roots[screen].root, setup.min_keycode);
        let count = setup.max_keycode - first + 1;
        let map = connection.get_keyboard_mapping(first, count).expect("sent");
        let map = map.reply().expect("a keymap");
        Some(Self {
            server,
            display,
            root,
            keymap: map.keysyms,
            width: usize::from(map.keysyms_per_keycode),
            first,
            connection,
        })
    }

    /// The window of the program, once it is there.
    fn window(&self) -> Window {
        wait_for("a window", || {
            let tree = self.connection.query_tree(self.root).ok()?.reply().ok()?;
            let mut windows = tree.children.into_iter();
            windows.find(|w| self.title(*w).contains("Posepress"))
        })
    }

    fn title(&self, window: Window) -> String {
        let atom = |name: &str| {
            let atom = self.connection.intern_atom(false, name.as_bytes());
            atom.expect("sent").reply().expect("an atom").atom
        };
        let (name, text) = (atom("_NET_WM_NAME"), atom("UTF8_STRING"));
        let got = self
            .connection
            .get_property(false, window, name, text, 0, 256);
        let got = got.expect("sent").reply();
        got.map_or_else(
            |_| String::new(),
            |p| String::from_utf8_lossy(&p.value).into_owned(),
        )
    }

    fn focus(&self, window: Window) {
        let set = self
            .connection
            .set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME);
        set.expect("sent").check().expect("focused");
    }

    /// The key that bears a sign, and whether Shift is needed for it.
    fn key(&self, sign: Keysym) -> (Keycode, bool) {
        let at = |level: usize| {
            let keys = self.keymap.chunks(self.width);
            keys.into_iter().position(|k| k.get(level) == Some(&sign))
        };
        let plain = at(0).map(|k| (k, false));
        let (k, shifted) = plain.or_else(|| at(1).map(|k| (k, true))).expect("a key");
        (self.first + k as u8, shifted)
    }

    fn send(&self, code: Keycode, down: bool) {
        let kind = if down {
            KEY_PRESS_EVENT
        } else {
            KEY_RELEASE_EVENT
        };
        let sent = self
            .connection
            .xtest_fake_input(kind, code, 0, self.root, 0, 0, 0);
        sent.expect("sent").check().expect("a key");
        std::thread::sleep(Duration::from_millis(15));
    }

    /// Presses a key while others are held.
    fn press(&self, held: &[Keysym], sign: Keysym) {
        let (code, shifted) = self.key(sign);
        let mut held: Vec<Keycode> = held.iter().map(|&h| self.key(h).0).collect();
        if shifted {
            held.push(self.key(keys::SHIFT).0);
        }
        for &h in &held {
            self.send(h, true);
        }
        self.send(code, true);
        self.send(code, false);
        for &h in held.iter().rev() {
            self.send(h, false);
        }
        // As fast as somebody who types fast: a frame of a software renderer takes its time.
        std::thread::sleep(Duration::from_millis(120));
    }

    fn control(&self, letter: char) {
        self.press(&[keys::CONTROL], letter as u32);
    }

    fn text(&self, text: &str) {
        for sign in text.chars() {
            self.press(&[], sign as u32);
        }
    }

    fn enter(&self) {
        self.shown(|| self.press(&[], keys::RETURN));
    }

    /// Does something that changes what is shown, and waits until it has.
    fn shown(&self, act: impl FnOnce()) {
        let before = self.picture();
        act();
        wait_for("another picture", || {
            (self.picture() != before).then_some(())
        });
        std::thread::sleep(Duration::from_millis(300));
    }

    fn picture(&self) -> Vec<u8> {
        let image =
            self.connection
                .get_image(ImageFormat::Z_PIXMAP, self.root, 0, 0, 1600, 1000, !0);
        image.expect("sent").reply().expect("a picture").data
    }

    /// How many pixels of a colour there are where marks stand before clips.
    fn marks(&self, color: [u8; 3]) -> usize {
        let (width, height) = (48, 320);
        let image =
            self.connection
                .get_image(ImageFormat::Z_PIXMAP, self.root, 0, 60, width, height, !0);
        let image = image.expect("sent").reply().expect("a picture");
        let [r, g, b] = color;
        let pixels = image.data.chunks(4);
        pixels.filter(|p| p[..3] == [b, g, r]).count()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The program with a folder open.
struct Running {
    child: Child,
    window: Window,
}

impl Running {
    fn start(screen: &Screen, home: &Path, folder: &Path) -> Self {
        let mut child = Command::new(PROGRAM)
            .arg(folder)
            .env("HOME", home)
            .env("DISPLAY", &screen.display)
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("XDG_STATE_HOME")
            .env_remove("XDG_DATA_HOME")
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        let window = screen.window();
        wait_for("a file in the title", || {
            assert!(child.try_wait().expect("asked").is_none(), "it ended");
            screen.title(window).contains("a_walk.gltf").then_some(())
        });
        screen.focus(window);
        Self { child, window }
    }

    /// Quits it with the keyboard; nothing is unsaved.
    fn quit(mut self, screen: &Screen) {
        screen.control('q');
        let status = wait_for("the end", || self.child.try_wait().expect("asked"));
        assert!(status.success(), "{status}");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "{what} did not come");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn write_clips(path: &Path, angle: f32) {
    let joints = ["hips", "foot_l", "foot_r"];
    let clips = [("Walk", angle), ("Run", 0.9)];
    fs::write(path, source::gltf(&joints, &clips)).expect("written");
}

/// What was saved about the clip `Walk`.
fn saved(source: &Path) -> Option<Value> {
    let text = fs::read(Sidecar::path_of(source)).ok()?;
    let all: Value = serde_json::from_slice(&text).expect("whole, whenever it is read");
    let clips = all["clips"].as_object().expect("clips");
    clips.get("Walk").cloned()
}

/// The exit code of `posepress check`: 0 where what is approved would ship as it is, 5 where an approval is stale.
fn checked(source: &Path) -> Option<i32> {
    let mut check = Command::new(PROGRAM);
    let done = check.arg("check").arg(source).output().expect("run");
    done.status.code()
}

#[test]
fn a_folder_is_tuned_approved_reopened_and_goes_stale() {
    let Some(screen) = Screen::start() else {
        println!("skipped: there is no Xvfb here");
        return;
    };
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("clips");
    fs::create_dir_all(folder.join("more")).expect("made");
    let walk: PathBuf = folder.join("a_walk.gltf");
    write_clips(&walk, 0.5);
    write_clips(&folder.join("more/b_other.gltf"), 0.4);

    let program = Running::start(&screen, home.path(), &folder);
    // A joint by name, a tolerance of its own, the same for the other side.
    screen.shown(|| screen.control('p'));
    screen.text("joint foot_l");
    screen.enter();
    screen.shown(|| screen.text("r"));
    screen.text("0.05deg");
    screen.enter();
    screen.shown(|| screen.control('m'));
    // A rule by wildcard.
    screen.shown(|| screen.control('r'));
    screen.text("*hip*");
    screen.enter();
    screen.text("0.02deg");
    screen.enter();
    screen.press(&[], keys::ESCAPE);
    assert!(
        screen.title(program.window).starts_with('*'),
        "there is something to save"
    );
    let decided = wait_for("an approval", || {
        // Not before the clip is compressed.
        screen.text("y");
        screen.control('s');
        saved(&walk).filter(|s| !s["verdict"].is_null())
    });
    let settings = &decided["settings"];
    let own = |joint: &str| settings["overrides"][joint]["rotation_rad"].as_f64();
    let (left, right) = (
        own("foot_l").expect("its own"),
        own("foot_r").expect("mirrored"),
    );
    assert!(
        (left.to_degrees() - 0.05).abs() < 1e-9 && left == right,
        "{settings}"
    );
    assert_eq!(settings["rules"][0]["pattern"], "*hip*");
    let ruled = settings["rules"][0]["rotation_rad"]
        .as_f64()
        .expect("ruled");
    assert!((ruled.to_degrees() - 0.02).abs() < 1e-9);
    wait_for("the mark of an approval", || {
        (screen.marks(APPROVED) > 20).then_some(())
    });
    program.quit(&screen);
    assert_eq!(checked(&walk), Some(0), "the build farm thinks so, too");

    let program = Running::start(&screen, home.path(), &folder);
    wait_for("the approval", || {
        (screen.marks(APPROVED) > 20).then_some(())
    });
    assert_eq!(screen.marks(STALE), 0);

    write_clips(&walk, 0.7);
    wait_for("the mark of a stale approval", || {
        (screen.marks(STALE) > 20).then_some(())
    });
    assert!(screen.marks(APPROVED) <= 20, "nothing but edges of letters");
    assert_eq!(checked(&walk), Some(5));
    program.quit(&screen);
    assert_eq!(
        saved(&walk),
        Some(decided),
        "nothing that was decided is lost"
    );
}
