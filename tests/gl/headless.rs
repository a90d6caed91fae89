//! A GL context with no window and no display server: EGL's device platform.

use eframe::egui_glow::glow;
use glutin::api::egl::{context::PossiblyCurrentContext, device::Device, display::Display};
use glutin::config::{ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::context::{ContextApi, ContextAttributesBuilder, Version};
use glutin::prelude::*;
use std::sync::Arc;

/// Current on the thread that made it, for as long as it lives.
pub struct HeadlessGl {
    pub gl: Arc<glow::Context>,
    _context: PossiblyCurrentContext,
    _display: Display,
}

impl HeadlessGl {
    /// `None`, said loudly, where the machine has no EGL; where `CI` is set that is a failure, since
    /// otherwise nobody would notice that the pictures are not tested any more.
    pub fn new() -> Option<Self> {
        match Self::open() {
            Ok(gl) => Some(gl),
            Err(why) if std::env::var_os("CI").is_some() => {
                panic!("no headless OpenGL, which CI must have (libegl1, libgl1-mesa-dri): {why}")
            }
            Err(why) => {
                eprintln!("skipped: no headless OpenGL (libegl1, libgl1-mesa-dri): {why}");
                None
            }
        }
    }

    fn open() -> Result<Self, String> {
        let devices = Device::query_devices().map_err(|e| e.to_string())?;
        let mut problems = vec!["no EGL device".to_owned()];
        // Mesa lists graphics cards first and its software renderer last; tests want the latter.
        for device in devices.collect::<Vec<_>>().iter().rev() {
            match Self::on(device) {
                Ok(gl) => return Ok(gl),
                Err(problem) => problems.push(problem),
            }
        }
        Err(problems.join("; "))
    }

    fn on(device: &Device) -> Result<Self, String> {
        let text = |e: glutin::error::Error| e.to_string();
        // SAFETY: no native display or window is involved; the context stays on this thread.
        unsafe {
            let display = Display::with_device(device, None).map_err(text)?;
            let template = ConfigTemplateBuilder::new();
            let template = template.with_surface_type(ConfigSurfaceTypes::empty());
            let config = {
                let mut configs = display.find_configs(template.build()).map_err(text)?;
                configs.next().ok_or("no EGL configuration")?
            };
            let api = ContextApi::OpenGl(Some(Version::new(3, 3)));
            let attributes = ContextAttributesBuilder::new().with_context_api(api);
            let context = display
                .create_context(&config, &attributes.build(None))
                .map_err(text)?
                .make_current_surfaceless()
                .map_err(text)?;
            let gl =
                glow::Context::from_loader_function_cstr(|name| display.get_proc_address(name));
            Ok(Self {
                gl: Arc::new(gl),
                _context: context,
                _display: display,
            })
        }
    }
}
