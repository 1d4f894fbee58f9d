//! Texts of every form that Halide's printer produces, and texts that it would not produce.

#![expect(clippy::panic, reason = "a test")]

use halidom_halide::Names;
use halidom_halide::text;

fn print_back(source: &str) -> String {
    let mut names = Names::new();
    match text::statement(source, &mut names) {
        Ok(block) => text::print(&block, &names),
        Err(error) => panic!("at {:?}: {error}", &source[error.at..]),
    }
}

#[test]
fn every_statement_prints_back() {
    for source in [
        "let f.s0.x.max = (f.extent.0 + f.min.0) - 1\n",
        "assert((uint8)0 < (uint8)n, halide_error(\"a \\\"b\\\" \\\\ \\t\\r\\n\\x00\\xFF\"))\n",
        "produce f$1 {\n f$1(f.s0.x, ::y) = {1, (uint8)2}\n}\nconsume f$1 {\n g() = f$1(3)\n}\n",
        "for (.__root, 0, 1) {\n parallel (y, 0, n) {\n  vectorized (x, 0, 8) {\n   \
            unrolled (z, 0, 2) {\n    a[x] = 1\n   }\n  }\n }\n}\n",
        "gpu_block<CUDA> (b, 0, 1) {\n gpu_thread<CUDA> (t, 0, 1) {\n  \
            gpu_lane<CUDA> (l, 0, 1) {\n   a[0] = 1\n  }\n }\n}\n",
        "extern (x, 0, 1) {\n a[x] = 1\n}\n",
        "allocate a[float32 * n * (m + 2)] in Stack if (0 < n)\nfree a\n",
        "allocate a[uint8 * (n * (m*2) + 8)]\n custom_new { (void *)_halide_new(3) }\n \
            custom_delete { halide_free(a); }\na[0] = (uint8)1\nfree a\n",
        "allocate a[(void *) * 4]\nfree a\n",
        "realize f([0, n], [f.min.1, 3]) in Heap if b {\n  f(0, 1) = 2\n}\n",
        "realize s() {\n  s() = 2\n}\n",
        "if (a < b) {\n f(1)\n} else if (a == b) {\n f(2)\n} else \
            {\n f(3)\n if (c) {\n  f(4)\n }\n}\n",
        "atomic (f) {\n  a[0] = a[0] + 1\n}\natomic (f, f.mutex) {\n  a[0] = 1\n}\n",
        "hoisted_storage (f) {\n  hoisted_storage {\n    f(1)\n  }\n}\n",
        "fork {\n f(1)\n} {\n f(2)\n} \n",
        "acquire (f.semaphore, 1) {\n f(1)\n}\n",
        "prefetch f, g.s0.x, g.s0.x, ([0, n], [1, 2])\nif (x < 3) \
            {\n prefetch f, x, x, ([0, 1])\n}\n",
        "predicate (x8(b))\n a[ramp(0, 1, 8) aligned(8, 0)] = x8(1)\npredicate (b)\n f(1) = 2\n",
        "a[i] = \n  let t1 = x + 1 in\n  let t2 = min(t1, 3) in\n  t2*t1\n\na[j] = 0\n",
        "let t = let u = (a + b) in (u*u)\n",
        "let t = (a + b) in f(t)\n",
        "if (b) {\n (void *)halide_free((void *)0x)\n}\n",
    ] {
        // The last one is no statement.
        if source.contains("0x)") {
            assert!(text::statement(source, &mut Names::new()).is_err(), "{source}");
        } else {
            assert_eq!(print_back(source), source);
        }
    }
}

#[test]
fn every_expression_prints_back() {
    for source in [
        "-3",
        "(int64)-9223372036854775808",
        "(uint64)18446744073709551615",
        "(int8x4)a",
        "0.083333f",
        "-0.000000f",
        "1.500000h",
        "123456789.000000",
        "1.234567e-07f",
        "0.000001f",
        "1.000000e-06f",
        "-1.000000e-100",
        "inff",
        "-inf",
        "-nanf",
        "uint8x16((uint16x16)a)",
        "reinterpret<(struct halide_buffer_t *)>((uint64)0)",
        "reinterpret<int32>(0.500000f)",
        "(struct halide_buffer_t const *)make_struct()",
        "(halide_task_t)::f.par_for.x",
        "(void *)((uint64)3)",
        "((a + b)*(c/d)) % e",
        "(a == b) || !(c != d)",
        "((a <= b) && (c >= d)) && (e > f)",
        "select(a < b, min(a, b), max(a, b))",
        "a[b + 1] if (c < d)",
        "(a[b] if c) + 1",
        "(uint8x8)a[ramp(b*2, 2, 8) aligned(16, 2)]",
        "(let t = (a*b) in (t + t)) - 1",
        "let t = a in (let u = t in u)",
        "(float32)vector_reduce_add(a)",
        "(int32x2)vector_reduce_saturating_add(x4(b))",
        "concat_vectors(a, b)",
        "interleave_vectors(a, b, c)",
        "slice_vectors(a, 0, 2, 8)",
        "extract_element(a, 3)",
        "shuffle(a, b, 7, 0, 15)",
        "x4(ramp(a, 1, 2))",
        "ramp(x4(0), x4(1), 2)",
        "(uint1)likely(a < b)",
        "!a",
        "f()",
    ] {
        let stmt = format!("let v = {source}\n");
        assert_eq!(print_back(&stmt), stmt);
    }
}

#[test]
fn what_the_printer_would_not_print_is_refused_where_it_departs() {
    for (source, rest) in [
        ("", ""),
        ("let x = a + b + c\n", " + c\n"),
        ("let x = ((a))\n", "(a))\n"),
        ("let x = (a + b)\n", "(a + b)\n"),
        ("let x = a+b\n", "+b\n"),
        ("let x = 3_u16\n", "_u16\n"),
        ("let x = 3u\n", "u\n"),
        ("let x = 0.1f\n", "f\n"),
        ("let x = 00.100000f\n", "00.100000f\n"),
        ("let x = 007\n", "007\n"),
        ("let x = (uint8)300x\n", "x\n"),
        ("let x = \"a\n", "\n"),
        ("let x = a \n", " \n"),
        (" let x = a\n", "let x = a\n"),
        ("produce f {\nlet x = a\n}\n", "let x = a\n}\n"),
        ("produce f {\n f(1)\n", ""),
        ("if (a) {\n f(1)\n }\n", "}\n"),
        ("f(1)\n\nf(2)\n", "\nf(2)\n"),
        ("for (x, 0) {\n}\n", ") {\n}\n"),
        ("let x = ramp(a, 1)\n", "ramp(a, 1)\n"),
        ("allocate a[int32]\n custom_delete { f(b); }\n", "); }\n"),
        ("\u{e4}\n", "\u{e4}\n"),
    ] {
        let error = text::statement(source, &mut Names::new()).unwrap_err();
        assert_eq!(&source[error.at..], rest, "{source:?}");
    }
}

#[test]
fn blanks_after_the_last_line_are_passed_over() {
    for source in ["f(1)", "f(1)\n", "f(1)\n\n\n", "f(1)\n \n"] {
        assert_eq!(print_back(source), "f(1)\n", "{source:?}");
    }
    for source in ["\n", "f(1) \n", "f(1)\n\nf(2)\n"] {
        assert!(text::statement(source, &mut Names::new()).is_err(), "{source:?}");
    }
}

#[test]
fn deep_nesting_is_refused() {
    let source = format!("let x = {}a{}\n", "(1 + ".repeat(10_000), ")".repeat(10_000));
    let error = text::statement(&source, &mut Names::new()).unwrap_err();
    assert_eq!(error.expected, "fewer things within each other");
}

#[test]
fn a_dump_is_what_stands_between_other_lines() {
    let source = "Creating initial loop nests...\nLowering after creating initial loop \
        nests:\nf[x] = \n  let t = 1 in\n  t\n\ng(x) = 2\n\nInjecting tracing...\nLowering after \
        injecting tracing: (unchanged)\n\nLowering after clamping unsafe data-dependent \
        accesses\ng(x) = 3\n\n";
    let mut names = Names::new();
    let passes = text::dump(source, &mut names).unwrap();
    let seen: Vec<_> = passes
        .iter()
        .map(|pass| {
            (pass.name.as_str(), pass.block.as_ref().map(|block| text::print(block, &names)))
        })
        .collect();
    assert_eq!(
        seen,
        [
            (
                "creating initial loop nests",
                Some("f[x] = \n  let t = 1 in\n  t\n\ng(x) = 2\n".to_owned())
            ),
            ("injecting tracing", None),
            ("clamping unsafe data-dependent accesses", Some("g(x) = 3\n".to_owned())),
        ]
    );
}
