//! Tests of round trips and refusals of files.

use halidom_ir::{Array, Constant, Scalar, eval};

use super::{Channels, FileError, read, write};

fn ramp(scalar: Scalar, shape: &[(i64, i64)]) -> Array {
    let mut array = Array::zeros(scalar, shape.to_vec()).unwrap();
    for element in 0..array.len() {
        let value = eval::cast(scalar, Constant::int(element as i128 % 251)).unwrap();
        assert!(array.set_element(element, value));
    }
    array
}

#[test]
fn files_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    for (name, scalar, shape) in [
        ("grey.png", Scalar::U8, vec![(0, 5), (0, 3)]),
        ("colour.png", Scalar::U8, vec![(0, 5), (0, 3), (0, 3)]),
        ("grey.pgm", Scalar::U8, vec![(0, 7), (0, 2)]),
        ("colour.ppm", Scalar::U8, vec![(0, 2), (0, 2), (0, 3)]),
        ("deep.npy", Scalar::I64, vec![(0, 4), (0, 3), (0, 2)]),
        ("float.npy", Scalar::F32, vec![(0, 4)]),
        ("empty.npy", Scalar::U16, vec![(0, 0), (0, 3)]),
        ("bool.npy", Scalar::Bool, vec![(0, 4)]),
    ] {
        let path = folder.path().join(name);
        let array = ramp(scalar, &shape);
        write(&path, &array).unwrap();
        assert_eq!(read(&path, Channels::All, scalar, shape.len()).unwrap(), array, "{name}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 8, "no temporary file is left");
}

#[test]
fn small_values_widen_without_scaling() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grey.png");
    let array = ramp(Scalar::U8, &[(0, 5), (0, 3)]);
    write(&path, &array).unwrap();
    let widened = read(&path, Channels::All, Scalar::F32, 2).unwrap();
    assert_eq!(widened.get(&[4, 1]), Some(Constant::f32(9.0)));
    let planar = read(&path, Channels::All, Scalar::U16, 3).unwrap();
    assert_eq!(planar.shape, [(0, 5), (0, 3), (0, 1)]);
}

/// The greatest sample that a file names scales nothing.
#[test]
fn samples_of_maps_are_read_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.pgm");
    let samples = |scalar, head: &str, data: &[u8]| {
        std::fs::write(&path, [head.as_bytes(), data].concat()).unwrap();
        let array = read(&path, Channels::All, scalar, 2);
        array.map(|array| [0, 1].map(|x| array.get(&[x, 0]).and_then(Constant::as_integer)))
    };
    let u8s = |head, data| samples(Scalar::U8, head, data).ok();
    let u16s = |head, data| samples(Scalar::U16, head, data).ok();
    assert_eq!(u8s("P5 2 1 255\n", &[7, 255]), Some([Some(7), Some(255)]));
    assert_eq!(u8s("P5\n# a comment\n2 1\n100\n", &[7, 100]), Some([Some(7), Some(100)]));
    assert_eq!(u8s("P2 2 1 3\n", b"1 3\n"), Some([Some(1), Some(3)]));
    assert_eq!(u16s("P5 2 1 4095\n", &[1, 0, 15, 255]), Some([Some(256), Some(4095)]));
    let code = |head, data| samples(Scalar::U16, head, data).err().map(|error| error.code());
    assert_eq!(code("P5 2 1 100\n", &[7, 101]), Some("HAL0802"));
    assert_eq!(code("P5 2 1 70000\n", &[7, 101, 0, 0]), Some("HAL0802"));
    assert_eq!(code("P4 8 1\n", &[7]), Some("HAL0802"));
}

#[test]
fn bad_files_are_refused_with_a_code() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.png");
    write(&whole, &ramp(Scalar::U8, &[(0, 50), (0, 30), (0, 3)])).unwrap();
    let bytes = std::fs::read(&whole).unwrap();
    let cut = folder.path().join("cut.png");
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let code = |result: Result<Array, FileError>| result.err().map(|error| error.code());
    // Headers that announce more data than the file has. The last one would not fit into memory.
    for shape in ["(4, 5)", "(4, 100000000)", "(4000000000, 4000000000)"] {
        let path = folder.path().join("more.npy");
        let header = format!("{{'descr': '<u2', 'fortran_order': False, 'shape': {shape}, }}");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.bytes().chain([0; 32]));
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(code(read(&path, Channels::All, Scalar::U16, 2)), Some("HAL0802"), "{shape}");
    }
    assert_eq!(code(read(&cut, Channels::All, Scalar::U8, 3)), Some("HAL0802"));
    assert_eq!(
        code(read(&folder.path().join("none.png"), Channels::All, Scalar::U8, 3)),
        Some("HAL0801")
    );
    assert_eq!(code(read(&whole, Channels::All, Scalar::U8, 2)), Some("HAL0804"));
    assert_eq!(code(read(&whole, Channels::All, Scalar::I8, 3)), Some("HAL0803"));
    assert!(
        read(&whole, Channels::Grey, Scalar::U8, 2)
            .is_ok_and(|array| array.shape == [(0, 50), (0, 30)])
    );
    let empty = ramp(Scalar::U8, &[(0, 0), (0, 30)]);
    assert_eq!(
        write(&folder.path().join("empty.png"), &empty).err().map(|error| error.code()),
        Some("HAL0814")
    );
    assert_eq!(
        write(&folder.path().join("x.jpg"), &empty).err().map(|error| error.code()),
        Some("HAL0813")
    );
}
