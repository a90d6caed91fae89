//! The little of a material that the viewport shows: base colour, its texture and texture coordinates.

use super::error::Fault;
use super::fields;
use serde_json::Value;

/// Base colour of a primitive.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Material {
    /// Linear factor.
    pub color: [f32; 4],
    /// Index into `textures`.
    pub texture: Option<usize>,
    /// Which `TEXCOORD_n`.
    pub uv_set: u64,
    /// `uv' = rows * (u, v, 1)` of `KHR_texture_transform`.
    pub uv_rows: [[f32; 3]; 2],
}

impl Default for Material {
    fn default() -> Self {
        Self {
            color: [1.0; 4],
            texture: None,
            uv_set: 0,
            uv_rows: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        }
    }
}

/// Reads `materials[index]`: metallic-roughness, or specular-glossiness where only that is given.
pub(super) fn read(materials: &[Value], index: usize) -> Result<Material, Fault> {
    let place = format!("material {index}");
    let Some(json) = materials.get(index) else {
        return Err(Fault::new("bad-material", place, "it does not exist"));
    };
    let none = Value::Null;
    let metallic = json.get("pbrMetallicRoughness").unwrap_or(&none);
    let glossy = fields::extension(json, "KHR_materials_pbrSpecularGlossiness");
    let (pbr, factor, texture) = match glossy {
        Some(g) if metallic.get("baseColorTexture").is_none() => {
            (g, "diffuseFactor", "diffuseTexture")
        }
        _ => (metallic, "baseColorFactor", "baseColorTexture"),
    };
    let mut out = Material::default();
    if let Some(color) = fields::numbers::<4>(pbr, factor, &place)? {
        out.color = color.map(|c| c as f32);
    }
    let Some(info) = pbr.get(texture) else {
        return Ok(out);
    };
    out.texture = fields::index(info, "index", &place)?;
    out.uv_set = fields::uint(info, "texCoord", &place)?.unwrap_or(0);
    if let Some(transform) = fields::extension(info, "KHR_texture_transform") {
        out.uv_rows = uv_rows(transform, &place)?;
        if let Some(set) = fields::uint(transform, "texCoord", &place)? {
            out.uv_set = set;
        }
    }
    Ok(out)
}

/// Scale, then rotation, then offset; the turn is counter-clockwise as seen on the picture, whose v
/// points down, as three.js and the Khronos sample viewer have it.
fn uv_rows(transform: &Value, place: &str) -> Result<[[f32; 3]; 2], Fault> {
    let [x, y] = fields::numbers(transform, "offset", place)?.unwrap_or([0.0; 2]);
    let [su, sv] = fields::numbers(transform, "scale", place)?.unwrap_or([1.0; 2]);
    let turn = transform.get("rotation").and_then(Value::as_f64);
    let (sin, cos) = turn.unwrap_or(0.0).sin_cos();
    Ok([[cos * su, sin * sv, x], [-sin * su, cos * sv, y]].map(|row| row.map(|v| v as f32)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_texture_transform_scales_before_it_moves() {
        let info = json!({"index": 2, "extensions": {"KHR_texture_transform":
            {"offset": [0.5, 0.25], "scale": [2, 4], "texCoord": 1}}});
        let m = json!({"pbrMetallicRoughness": {"baseColorFactor": [1, 0.5, 0, 1], "baseColorTexture": info}});
        let m = read(&[m], 0).unwrap();
        assert_eq!((m.texture, m.uv_set), (Some(2), 1));
        assert_eq!(m.color, [1.0, 0.5, 0.0, 1.0]);
        assert_eq!(m.uv_rows, [[2.0, 0.0, 0.5], [0.0, 4.0, 0.25]]);
    }

    #[test]
    fn the_diffuse_colour_stands_in_for_the_base_colour() {
        let m = json!({"extensions": {"KHR_materials_pbrSpecularGlossiness":
            {"diffuseFactor": [0, 1, 0, 1], "diffuseTexture": {"index": 3}}}});
        let m = read(&[m], 0).unwrap();
        assert_eq!((m.color, m.texture), ([0.0, 1.0, 0.0, 1.0], Some(3)));
        assert!(read(&[], 0).is_err());
    }
}
