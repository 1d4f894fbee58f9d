// The last part of a vector may have one lane, and a ramp has two at least.
// pass: AlignLoads
// profile: halide-to-hardware
// right: unsupported
// refuted: WrongLast WrongRest WrongOffset

// A part of one lane is loaded without a ramp.
class RightLast : public IRMutator {
    int required_alignment;

public:
    RightLast(int alignment) : required_alignment(alignment) {}

    Expr visit(const Load *op) override {
        const Ramp *ramp = op->index.as<Ramp>();
        if (!ramp || !op->type.is_vector()) {
            return IRMutator::visit(op);
        }
        int lanes = ramp->lanes;
        int native_lanes = required_alignment / op->type.bytes();
        vector<Expr> slices;
        for (int i = 0; i < lanes; i += native_lanes) {
            int slice_lanes = std::min(native_lanes, lanes - i);
            Expr base = simplify(ramp->base + i);
            Expr index = base;
            if (slice_lanes > 1) {
                index = Ramp::make(base, 1, slice_lanes);
            }
            slices.push_back(Load::make(op->type.with_lanes(slice_lanes), op->name, index, op->image,
                                        op->param, const_true(slice_lanes), op->alignment));
        }
        return Shuffle::make_concat(slices);
    }
};

// A part of one lane is loaded by a ramp.
class WrongLast : public IRMutator {
    HexagonAlignmentAnalyzer analyzer;
    int required_alignment;

public:
    WrongLast(int alignment) : analyzer(alignment), required_alignment(alignment) {}

    Expr visit(const Load *op) override {
        const Ramp *ramp = op->index.as<Ramp>();
        if (!ramp || !op->type.is_vector()) {
            return IRMutator::visit(op);
        }
        int lanes = ramp->lanes;
        int native_lanes = required_alignment / op->type.bytes();
        int64_t offset = 0;
        bool is_aligned = analyzer.is_aligned(op, &offset);
        bool is_known = is_aligned || offset != 0;
        if (lanes <= native_lanes) {
            return IRMutator::visit(op);
        }
        vector<Expr> slices;
        for (int i = 0; i < lanes; i += native_lanes) {
            int slice_lanes = std::min(native_lanes, lanes - i);
            Expr base = simplify(ramp->base + i);
            Expr index = Ramp::make(base, 1, slice_lanes);
            slices.push_back(Load::make(op->type.with_lanes(slice_lanes), op->name, index, op->image,
                                        op->param, const_true(slice_lanes), op->alignment));
        }
        return Shuffle::make_concat(slices);
    }
};

// The rest after the first part has one lane.
class WrongRest : public IRMutator {
    int required_alignment;

public:
    WrongRest(int alignment) : required_alignment(alignment) {}

    Expr visit(const Load *op) override {
        const Ramp *ramp = op->index.as<Ramp>();
        int native_lanes = required_alignment / op->type.bytes();
        if (!ramp || ramp->lanes <= native_lanes) {
            return IRMutator::visit(op);
        }
        Expr first = Ramp::make(ramp->base, ramp->stride, native_lanes);
        Expr rest = Ramp::make(ramp->base + native_lanes, ramp->stride, ramp->lanes - native_lanes);
        return op;
    }
};

// What is found out about the offset does not matter to the last part.
class WrongOffset : public IRMutator {
    int required_alignment;
    Scope<ModulusRemainder> alignment_info;

public:
    WrongOffset(int alignment) : required_alignment(alignment) {}

    Expr visit(const Load *op) override {
        const Ramp *ramp = op->index.as<Ramp>();
        if (!ramp || !op->type.is_vector()) {
            return IRMutator::visit(op);
        }
        int native_lanes = required_alignment / op->type.bytes();
        int offset = 0;
        bool is_known = false;
        int base_alignment =
            op->param.defined() ? op->param.host_alignment() : required_alignment;
        if (base_alignment % required_alignment == 0) {
            is_known = reduce_expr_modulo(ramp->base, native_lanes, &offset, alignment_info);
        }
        if (ramp->lanes <= native_lanes) {
            if (is_known && offset != 0) {
                Expr base = simplify(ramp->base - offset);
                return Load::make(op->type, op->name, Ramp::make(base, 1, ramp->lanes), op->image,
                                  op->param, op->predicate, op->alignment);
            }
            return IRMutator::visit(op);
        }
        Expr rest = Ramp::make(ramp->base + native_lanes, 1, ramp->lanes - native_lanes);
        return Load::make(op->type.with_lanes(ramp->lanes - native_lanes), op->name, rest, op->image,
                          op->param, const_true(ramp->lanes - native_lanes), op->alignment);
    }
};
