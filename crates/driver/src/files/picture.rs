//! PNG, PGM and PPM files.

use std::io::Cursor;
use std::path::Path;

use halidom_ir::{Array, Constant, Scalar};
use image::{DynamicImage, ExtendedColorType, ImageEncoder as _, ImageFormat};

use super::elements::from_values;
use super::error::FileError;

/// The treatment of a colour image's channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channels {
    /// All channels are kept.
    All,
    /// The channels are combined into one, the luminance.
    Grey,
}

pub(super) fn decode(path: &Path, bytes: &[u8], channels: Channels) -> Result<Array, FileError> {
    let contents =
        |reason: String| FileError::Contents { path: path.to_owned(), format: "picture", reason };
    let format = image::guess_format(bytes).map_err(|error| contents(error.to_string()))?;
    if !matches!(format, ImageFormat::Png | ImageFormat::Pnm) {
        return Err(contents("it is neither PNG nor PGM nor PPM".to_owned()));
    }
    let is_map = format == ImageFormat::Pnm;
    let map = is_map.then(|| Map::read(bytes).ok_or_else(|| contents(NO_MAP.to_owned())));
    let map = map.transpose()?;
    let whole = map.as_ref().map_or(bytes, |map| &map.bytes);
    let mut picture = image::load_from_memory_with_format(whole, format)
        .map_err(|error| contents(error.to_string()))?;
    if let Some(Map { most, .. }) = map
        && greatest(&picture) > Some(most)
    {
        return Err(contents(format!(
            "a sample is greater than {most}, the greatest that it names"
        )));
    }
    if channels == Channels::Grey {
        picture = if picture.color().bytes_per_pixel() / picture.color().channel_count() > 1 {
            DynamicImage::ImageLuma16(picture.to_luma16())
        } else {
            DynamicImage::ImageLuma8(picture.to_luma8())
        };
    }
    let (width, height) = (i64::from(picture.width()), i64::from(picture.height()));
    let count = usize::from(picture.color().channel_count());
    let shape = if count == 1 {
        vec![(0, width), (0, height)]
    } else {
        vec![(0, width), (0, height), (0, count as i64)]
    };
    let (scalar, samples): (Scalar, Vec<u16>) = match picture {
        DynamicImage::ImageLuma8(_)
        | DynamicImage::ImageLumaA8(_)
        | DynamicImage::ImageRgb8(_)
        | DynamicImage::ImageRgba8(_) => {
            (Scalar::U8, picture.as_bytes().iter().copied().map(u16::from).collect())
        }
        DynamicImage::ImageLuma16(picture) => (Scalar::U16, picture.into_raw()),
        DynamicImage::ImageLumaA16(picture) => (Scalar::U16, picture.into_raw()),
        DynamicImage::ImageRgb16(picture) => (Scalar::U16, picture.into_raw()),
        DynamicImage::ImageRgba16(picture) => (Scalar::U16, picture.into_raw()),
        DynamicImage::ImageRgb32F(_) | DynamicImage::ImageRgba32F(_) | _ => {
            return Err(contents("its colours are neither 8 nor 16 bits deep".to_owned()));
        }
    };
    let pixels = samples.len() / count;
    let planar =
        (0..count).flat_map(|channel| (0..pixels).map(move |pixel| pixel * count + channel));
    let values = planar.filter_map(|sample| Constant::wrapped(scalar, i128::from(samples[sample])));
    from_values(scalar, shape, values).ok_or_else(|| contents("it is too large".to_owned()))
}

/// The reason why a PNM file is no picture.
const NO_MAP: &str = "its head is not that of a PGM or PPM file, with a greatest sample to 65535";

/// A PGM or PPM file.
struct Map {
    /// The greatest sample that the head names.
    most: u16,
    /// The file with 255 or 65535 in its place. The decoder would scale samples up to these.
    bytes: Vec<u8>,
}

impl Map {
    fn read(bytes: &[u8]) -> Option<Self> {
        let (b'P', b'2' | b'3' | b'5' | b'6') = (bytes.first()?, bytes.get(1)?) else {
            return None;
        };
        // The head has three numbers. A comment runs to the end of its line.
        let (mut at, mut number) = (2, 0..0);
        for _ in 0..3 {
            loop {
                match bytes.get(at)? {
                    b'#' => at += bytes[at..].iter().position(|byte| *byte == b'\n')?,
                    byte if byte.is_ascii_whitespace() => at += 1,
                    _ => break,
                }
            }
            let length = bytes[at..].iter().position(|byte| !byte.is_ascii_digit())?;
            number = at..at + length;
            at += length;
        }
        let most: u16 = str::from_utf8(&bytes[number.clone()]).ok()?.parse().ok()?;
        let full: &[u8] = if most > 255 { b"65535" } else { b"255" };
        let parts = [&bytes[..number.start], full, &bytes[number.end..]];
        (most > 0).then(|| Self { most, bytes: parts.concat() })
    }
}

/// The greatest sample of a picture, if it has bytes or pairs of them.
fn greatest(picture: &DynamicImage) -> Option<u16> {
    match picture {
        DynamicImage::ImageLuma8(picture) => picture.iter().copied().map(u16::from).max(),
        DynamicImage::ImageRgb8(picture) => picture.iter().copied().map(u16::from).max(),
        DynamicImage::ImageLuma16(picture) => picture.iter().copied().max(),
        DynamicImage::ImageRgb16(picture) => picture.iter().copied().max(),
        DynamicImage::ImageLumaA8(_)
        | DynamicImage::ImageRgba8(_)
        | DynamicImage::ImageLumaA16(_)
        | DynamicImage::ImageRgba16(_)
        | DynamicImage::ImageRgb32F(_)
        | DynamicImage::ImageRgba32F(_)
        | _ => None,
    }
}

/// Encodes an image with 8 bits per sample if every value fits, else with 16. Floats are rounded
/// and saturated to 8 bits.
pub(super) fn encode(path: &Path, array: &Array, format: &str) -> Result<Vec<u8>, FileError> {
    let unrepresentable = |reason| FileError::Unrepresentable { path: path.to_owned(), reason };
    let (width, height, count) = match array.shape.as_slice() {
        [(_, width), (_, height)] => (*width, *height, 1),
        [(_, width), (_, height), (_, count)] => (*width, *height, *count),
        _ => {
            return Err(unrepresentable(
                "a picture has two dimensions, or three with channels last",
            ));
        }
    };
    let small = |extent: i64| u32::try_from(extent).ok().filter(|extent| *extent > 0);
    let (Some(wide), Some(high)) = (small(width), small(height)) else {
        return Err(unrepresentable(
            "a picture has at least one pixel, and less than 2^32 a dimension",
        ));
    };
    let mut samples = Vec::with_capacity(array.len());
    let mins: Vec<i64> = array.shape.iter().map(|(min, _)| *min).collect();
    for y in 0..height {
        for x in 0..width {
            for channel in 0..count {
                let mut point = mins.clone();
                for (coord, step) in point.iter_mut().zip([x, y, channel]) {
                    *coord += step;
                }
                let sample = array.get(&point).and_then(sample);
                samples
                    .push(sample.ok_or_else(|| {
                        unrepresentable("a picture holds values from 0 to 65535")
                    })?);
            }
        }
    }
    let deep = samples.iter().any(|sample| *sample > 255);
    let colour = match (count, deep) {
        (1, false) => ExtendedColorType::L8,
        (1, true) => ExtendedColorType::L16,
        (3, false) => ExtendedColorType::Rgb8,
        (3, true) => ExtendedColorType::Rgb16,
        (4, false) => ExtendedColorType::Rgba8,
        (4, true) => ExtendedColorType::Rgba16,
        _ => return Err(unrepresentable("a picture has 1, 3 or 4 channels")),
    };
    let bytes: Vec<u8> = if deep {
        samples.iter().flat_map(|sample| sample.to_ne_bytes()).collect()
    } else {
        samples.iter().map(|sample| *sample as u8).collect()
    };
    let mut encoded = Cursor::new(Vec::new());
    let result = if format == "png" {
        image::codecs::png::PngEncoder::new(&mut encoded).write_image(&bytes, wide, high, colour)
    } else if (format == "pgm") == (count == 1) && count < 4 && !deep {
        let subtype = if count == 1 {
            image::codecs::pnm::PnmSubtype::Graymap(image::codecs::pnm::SampleEncoding::Binary)
        } else {
            image::codecs::pnm::PnmSubtype::Pixmap(image::codecs::pnm::SampleEncoding::Binary)
        };
        image::codecs::pnm::PnmEncoder::new(&mut encoded)
            .with_subtype(subtype)
            .write_image(&bytes, wide, high, colour)
    } else {
        return Err(unrepresentable(
            "PGM is for one channel and PPM for three, with values to 255",
        ));
    };
    result.map_err(|_| unrepresentable("the picture could not be encoded"))?;
    Ok(encoded.into_inner())
}

fn sample(value: Constant) -> Option<u16> {
    if let Some(float) = value.as_f64().or(value.as_f32().map(f64::from)) {
        // `as` saturates and converts NaN to 0.
        return Some(u16::from(float.round() as u8));
    }
    let scale = if value.scalar() == Scalar::Bool { 255 } else { 1 };
    u16::try_from(value.as_integer()? * scale).ok()
}
