// Prints a final statement in the form that `halidom_halide_ir::dump` describes and reads. Where
// the form omits a field, the printer checks that the field has the value that the form implies.

#include "Halide.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace halidom {

using namespace Halide;
using namespace Halide::Internal;

// A construct that the form cannot express.
struct Unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

#if HALIDE_VERSION_MAJOR == 19
const char *const VERSION_LINE = "halidom-dump 1 halide 19.0.0";
#elif HALIDE_VERSION_MAJOR == 21
const char *const VERSION_LINE = "halidom-dump 1 halide 21.0.0";
#else
#error "a release of Halide whose output is not read"
#endif

const char *const LOOPS[] = {"serial", "parallel",  "vectorized", "unrolled",
                             "extern", "gpu_block", "gpu_thread", "gpu_lane"};
const char *const DEVICES[] = {"none",    "Host",       "Default_GPU",  "CUDA",   "OpenCL", "Metal",
                               "Hexagon", "HexagonDma", "D3D12Compute", "Vulkan", "WebGPU"};
const char *const MEMORIES[] = {"Auto",       "Heap",        "Stack", "Register", "GPUShared",
                                "GPUTexture", "LockedCache", "VTCM",  "AMXTile"};
const char *const CALLS[] = {"image",  "extern",    "extern-c++",    "pure-extern",
                             "halide", "intrinsic", "pure-intrinsic"};
const char *const REDUCTIONS[] = {"add", "saturating_add", "mul", "min", "max", "and", "or"};

inline std::string quoted(const std::string &text) {
    std::string out = "\"";
    char digits[8];
    for (unsigned char byte : text) {
        if (byte == '"' || byte == '\\') {
            out += '\\';
            out += (char)byte;
        } else if (byte >= ' ' && byte <= '~') {
            out += (char)byte;
        } else {
            snprintf(digits, sizeof digits, "\\x%02X", byte);
            out += digits;
        }
    }
    return out + "\"";
}

inline std::string type_text(Type type) {
    std::string out;
    if (type.is_handle()) {
        out = "h";
        if (type.handle_type) {
            Type one = type.with_lanes(1);
            out += quoted(type_to_c_type(one, false));
        }
    } else {
        out = type.is_bfloat() ? "bf" : type.is_float() ? "f" : type.is_uint() ? "u" : "i";
        out += std::to_string(type.bits());
    }
    if (type.lanes() != 1) {
        out += "x" + std::to_string(type.lanes());
    }
    return out;
}

inline bool is_plain_true(const Expr &e, int lanes) {
    if (lanes > 1) {
        const Broadcast *broadcast = e.as<Broadcast>();
        return broadcast && broadcast->lanes == lanes && is_plain_true(broadcast->value, 1);
    }
    const UIntImm *imm = e.as<UIntImm>();
    return imm && imm->type == UInt(1) && imm->value == 1;
}

// Checks every node that points to something outside of the statement.
struct Outside : IRVisitor {
    using IRVisitor::visit;
    std::set<std::string> inputs, outputs, images;
    std::map<std::string, Parameter> parameters;

    void belongs(const std::string &name, const Parameter &param, bool expected, const char *what) {
        if (param.defined() != expected || (expected && param.name() != name)) {
            const std::string target =
                param.defined() ? "the parameter `" + param.name() + "`" : "no parameter";
            throw Unsupported(std::string(what) + " `" + name + "` that points to " + target);
        }
        if (expected) {
            parameters[name] = param;
        }
    }

    void pictured(const std::string &name, const Buffer<> &image) {
        if (image.defined()) {
            if (image.name() != name && name.rfind(image.name() + ".", 0) != 0) {
                throw Unsupported("the name `" + name + "`, which points to the image `" +
                                  image.name() + "`");
            }
            images.insert(image.name());
        }
    }

    void visit(const Load *op) override {
        if (!(op->image.defined() && !op->param.defined())) {
            belongs(op->name, op->param, inputs.count(op->name) != 0, "a load of");
        }
        pictured(op->name, op->image);
        IRVisitor::visit(op);
    }

    void visit(const Store *op) override {
        belongs(op->name, op->param, outputs.count(op->name) != 0, "a store to");
        IRVisitor::visit(op);
    }

    void visit(const Variable *op) override {
        if (op->param.defined() && op->param.name() != op->name &&
            op->name.rfind(op->param.name() + ".", 0) != 0) {
            throw Unsupported("the variable `" + op->name + "`, which points to the parameter `" +
                              op->param.name() + "`");
        }
        pictured(op->name, op->image);
    }
};

struct Printer : IRVisitor {
    using IRVisitor::visit;
    std::ostream &out;
    int indent = 0;

    explicit Printer(std::ostream &out)
        : out(out) {
    }

    void line() {
        out << '\n';
        for (int i = 0; i < indent; i++) {
            out << ' ';
        }
    }

    void then(const Expr &e) {
        out << ' ';
        e.accept(this);
    }

    void predicate(const Expr &e, int lanes) {
        if (!is_plain_true(e, lanes)) {
            out << " (if";
            then(e);
            out << ')';
        }
    }

    void alignment(const ModulusRemainder &align) {
        if (align.modulus != 1 || align.remainder != 0) {
            out << " (align " << align.modulus << ' ' << align.remainder << ')';
        }
    }

    template<typename T>
    void binary(const char *word, const T *op) {
        out << '(' << word;
        then(op->a);
        then(op->b);
        out << ')';
    }

    void visit(const IntImm *op) override {
        out << '(' << type_text(op->type) << ' ' << op->value << ')';
    }
    void visit(const UIntImm *op) override {
        out << '(' << type_text(op->type) << ' ' << op->value << ')';
    }
    void visit(const FloatImm *op) override {
        uint64_t bits;
        memcpy(&bits, &op->value, sizeof bits);
        char digits[32];
        snprintf(digits, sizeof digits, "0x%016llX", (unsigned long long)bits);
        out << '(' << type_text(op->type) << ' ' << digits << ')';
    }
    void visit(const StringImm *op) override {
        out << quoted(op->value);
    }
    void visit(const Variable *op) override {
        out << "(var " << type_text(op->type) << ' ' << quoted(op->name) << ')';
    }
    void visit(const Cast *op) override {
        out << "(cast " << type_text(op->type);
        then(op->value);
        out << ')';
    }
    void visit(const Reinterpret *op) override {
        out << "(reinterpret " << type_text(op->type);
        then(op->value);
        out << ')';
    }
    void visit(const Add *op) override { binary("+", op); }
    void visit(const Sub *op) override { binary("-", op); }
    void visit(const Mul *op) override { binary("*", op); }
    void visit(const Div *op) override { binary("/", op); }
    void visit(const Mod *op) override { binary("%", op); }
    void visit(const Min *op) override { binary("min", op); }
    void visit(const Max *op) override { binary("max", op); }
    void visit(const EQ *op) override { binary("==", op); }
    void visit(const NE *op) override { binary("!=", op); }
    void visit(const LT *op) override { binary("<", op); }
    void visit(const LE *op) override { binary("<=", op); }
    void visit(const GT *op) override { binary(">", op); }
    void visit(const GE *op) override { binary(">=", op); }
    void visit(const And *op) override { binary("&&", op); }
    void visit(const Or *op) override { binary("||", op); }
    void visit(const Not *op) override {
        out << "(!";
        then(op->a);
        out << ')';
    }
    void visit(const Select *op) override {
        out << "(select";
        then(op->condition);
        then(op->true_value);
        then(op->false_value);
        out << ')';
    }
    void visit(const Load *op) override {
        out << "(load " << type_text(op->type) << ' ' << quoted(op->name);
        then(op->index);
        predicate(op->predicate, op->type.lanes());
        alignment(op->alignment);
        out << ')';
    }
    void visit(const Ramp *op) override {
        out << "(ramp " << op->lanes;
        then(op->base);
        then(op->stride);
        out << ')';
    }
    void visit(const Broadcast *op) override {
        out << "(broadcast " << op->lanes;
        then(op->value);
        out << ')';
    }
    void visit(const Call *op) override {
        if (op->call_type == Call::Halide || op->call_type == Call::Image) {
            throw Unsupported("a call of the func or image `" + op->name +
                              "` in a final statement");
        }
        out << "(call " << type_text(op->type) << ' ' << quoted(op->name) << ' '
            << CALLS[op->call_type] << ' ' << op->value_index;
        for (const Expr &arg : op->args) {
            then(arg);
        }
        out << ')';
    }
    void visit(const Let *op) override {
        out << "(let " << quoted(op->name);
        then(op->value);
        then(op->body);
        out << ')';
    }
    void visit(const Shuffle *op) override {
        out << "(shuffle ";
        if (op->is_concat()) {
            out << "concat";
        } else if (op->is_interleave()) {
            out << "interleave";
        } else if (op->is_extract_element()) {
            out << "(extract " << op->indices[0] << ')';
        } else if (op->is_slice()) {
            out << "(slice " << op->slice_begin() << ' ' << op->slice_stride() << ' '
                << op->indices.size() << ')';
        } else {
            out << "(lanes";
            for (int lane : op->indices) {
                out << ' ' << lane;
            }
            out << ')';
        }
        for (const Expr &vector : op->vectors) {
            then(vector);
        }
        out << ')';
    }
    void visit(const VectorReduce *op) override {
        out << "(reduce " << type_text(op->type) << ' ' << REDUCTIONS[op->op];
        then(op->value);
        out << ')';
    }

    // The range of a parameter.
    void range(const ArgumentEstimates &known) {
        const std::pair<const char *, Expr> ends[] = {{"min", known.scalar_min},
                                                      {"max", known.scalar_max}};
        for (const auto &end : ends) {
            if (end.second.defined()) {
                out << " (" << end.first;
                then(end.second);
                out << ')';
            }
        }
    }

    // The constraints of the pipeline on a dimension of an argument.
    void constraint(const Parameter &param, int d) {
        const std::pair<const char *, Expr> sides[] = {{"min", param.min_constraint(d)},
                                                       {"extent", param.extent_constraint(d)},
                                                       {"stride", param.stride_constraint(d)}};
        if (!sides[0].second.defined() && !sides[1].second.defined() &&
            !sides[2].second.defined()) {
            return;
        }
        out << " (dim " << d;
        for (const auto &side : sides) {
            if (side.second.defined()) {
                out << " (" << side.first;
                then(side.second);
                out << ')';
            }
        }
        out << ')';
    }

    // The statements in a sequence, each on its own line.
    void list(Stmt s) {
        while (s.defined()) {
            if (const Block *block = s.as<Block>()) {
                const bool declares = block->first.as<LetStmt>() || block->first.as<Allocate>();
                if (declares) {
                    line();
                    out << "(scope";
                    body(block->first);
                    out << ')';
                } else {
                    one(block->first);
                }
                s = block->rest;
            } else if (const LetStmt *let = s.as<LetStmt>()) {
                line();
                out << "(let " << quoted(let->name);
                then(let->value);
                out << ')';
                s = let->body;
            } else if (const Allocate *allocate = s.as<Allocate>()) {
                line();
                declaration(allocate);
                s = allocate->body;
            } else {
                one(s);
                return;
            }
        }
    }

    void one(const Stmt &s) {
        line();
        s.accept(this);
    }

    void body(const Stmt &s) {
        indent++;
        list(s);
        indent--;
    }

    void part(const char *word, const Stmt &s) {
        indent++;
        line();
        out << '(' << word;
        body(s);
        out << ')';
        indent--;
    }

    void declaration(const Allocate *op) {
        out << "(allocate " << quoted(op->name) << ' ' << type_text(op->type) << ' '
            << MEMORIES[(int)op->memory_type] << ' ' << op->padding << " (";
        for (size_t i = 0; i < op->extents.size(); i++) {
            out << (i == 0 ? "" : " ");
            op->extents[i].accept(this);
        }
        out << ')';
        predicate(op->condition, 1);
        if (op->new_expr.defined()) {
            out << " (new";
            then(op->new_expr);
            out << ')';
        }
        if (!op->free_function.empty()) {
            out << " (free " << quoted(op->free_function) << ')';
        }
        out << ')';
    }

    void visit(const LetStmt *) override {
        throw Unsupported("a `let` out of place");
    }
    void visit(const Allocate *) override {
        throw Unsupported("an `allocate` out of place");
    }
    void visit(const Block *) override {
        throw Unsupported("a block out of place");
    }
    void visit(const AssertStmt *op) override {
        out << "(assert";
        then(op->condition);
        then(op->message);
        out << ')';
    }
    void visit(const ProducerConsumer *op) override {
        out << (op->is_producer ? "(produce " : "(consume ") << quoted(op->name);
        body(op->body);
        out << ')';
    }
    void visit(const For *op) override {
        out << "(for " << LOOPS[(int)op->for_type] << ' ' << DEVICES[(int)op->device_api] << ' '
            << quoted(op->name);
        then(op->min);
        then(op->extent);
        body(op->body);
        out << ')';
    }
    void visit(const Acquire *op) override {
        out << "(acquire";
        then(op->semaphore);
        then(op->count);
        body(op->body);
        out << ')';
    }
    void visit(const Store *op) override {
        out << "(store " << quoted(op->name);
        then(op->index);
        then(op->value);
        predicate(op->predicate, op->value.type().lanes());
        alignment(op->alignment);
        out << ')';
    }
    void visit(const Free *op) override {
        out << "(free " << quoted(op->name) << ')';
    }
    void visit(const Fork *op) override {
        out << "(fork";
        part("task", op->first);
        Stmt rest = op->rest;
        while (const Fork *fork = rest.as<Fork>()) {
            part("task", fork->first);
            rest = fork->rest;
        }
        part("task", rest);
        out << ')';
    }
    void visit(const IfThenElse *op) override {
        out << "(if";
        then(op->condition);
        part("then", op->then_case);
        if (op->else_case.defined()) {
            part("else", op->else_case);
        }
        out << ')';
    }
    void visit(const Evaluate *op) override {
        out << "(evaluate";
        then(op->value);
        out << ')';
    }
    void visit(const Atomic *op) override {
        out << "(atomic " << quoted(op->producer_name);
        if (!op->mutex_name.empty()) {
            out << " (mutex " << quoted(op->mutex_name) << ')';
        }
        body(op->body);
        out << ')';
    }
    void visit(const Provide *) override {
        throw Unsupported("`provide` in a final statement");
    }
    void visit(const Realize *) override {
        throw Unsupported("`realize` in a final statement");
    }
    void visit(const Prefetch *) override {
        throw Unsupported("`prefetch` in a final statement");
    }
    void visit(const HoistedStorage *) override {
        throw Unsupported("`hoisted_storage` in a final statement");
    }
};

// The function of a module that callers call.
inline const LoweredFunc &main_of(const Module &module) {
    const LoweredFunc *main = nullptr;
    for (const LoweredFunc &func : module.functions()) {
        if (func.linkage != LinkageType::Internal && func.name == module.name()) {
            main = &func;
        }
    }
    if (!main && !module.functions().empty()) {
        main = &module.functions().back();
    }
    if (!main) {
        throw Unsupported("a module without a function");
    }
    return *main;
}

// Does a job that goes deep into a statement. Exceptions cannot leave the other stack on their own.
template<typename Job>
void on_large_stack(Job job) {
    std::exception_ptr failed;
    run_with_large_stack([&]() {
        try {
            job();
        } catch (...) {
            failed = std::current_exception();
        }
    });
    if (failed) {
        std::rethrow_exception(failed);
    }
}

// Does a job; returns 0, or keeps the words of an error and returns 1, or 3 for `Unsupported`.
template<typename Job>
int attempt(std::string &words, Job job) {
    try {
        job();
        return 0;
    } catch (const Unsupported &error) {
        words = error.what();
        return 3;
    } catch (const Error &error) {
        // Halide's errors do not derive from std::exception.
        words = error.what();
    } catch (const std::exception &error) {
        words = error.what();
    } catch (...) {
        words = "an exception that is no error of Halide";
    }
    return 1;
}

inline std::string dump(const Module &module) {
    const LoweredFunc &main = main_of(module);
    const Stmt &statement = module.get_conceptual_stmt();
    std::ostringstream out;
    on_large_stack([&]() {
        Outside outside;
        for (const LoweredArgument &arg : main.args) {
            if (arg.kind == Argument::InputBuffer) {
                outside.inputs.insert(arg.name);
            } else if (arg.kind == Argument::OutputBuffer) {
                outside.outputs.insert(arg.name);
            }
        }
        statement.accept(&outside);
        out << VERSION_LINE << "\n(target " << quoted(module.target().to_string())
            << ")\n(strict-float " << (module.any_strict_float() ? "yes" : "no") << ")\n";
        for (const LoweredArgument &arg : main.args) {
            const char *kind = arg.kind == Argument::InputScalar   ? "input-scalar"
                               : arg.kind == Argument::InputBuffer ? "input-buffer"
                                                                   : "output-buffer";
            out << "(argument " << kind << ' ' << quoted(arg.name) << ' ' << type_text(arg.type);
            if (arg.is_buffer()) {
                auto found = outside.parameters.find(arg.name);
                const bool is_known = found != outside.parameters.end();
                out << ' ' << (int)arg.dimensions << ' '
                    << (is_known ? found->second.host_alignment() : arg.type.bytes());
                for (int d = 0; is_known && d < (int)arg.dimensions; d++) {
                    Printer(out).constraint(found->second, d);
                }
            } else {
                Printer(out).range(arg.argument_estimates);
            }
            out << ")\n";
        }
        for (const Buffer<void> &image : module.buffers()) {
            if (!outside.images.count(image.name())) {
                continue;
            }
            out << "(image " << quoted(image.name()) << ' ' << type_text(image.type()) << " (";
            for (int d = 0; d < image.dimensions(); d++) {
                out << (d == 0 ? "(" : " (") << image.dim(d).min() << ' ' << image.dim(d).extent()
                    << ' ' << image.dim(d).stride() << ')';
            }
            out << ") ";
            const halide_buffer_t &raw = *image.raw_buffer();
            const uint8_t *begin = raw.begin();
            const size_t size = raw.size_in_bytes();
            if (size == 0) {
                out << "none";
            }
            char digits[4];
            for (size_t i = 0; i < size; i++) {
                snprintf(digits, sizeof digits, "%02X", begin[i]);
                out << digits;
            }
            out << ")\n";
        }
        out << "(statement";
        Printer printer(out);
        printer.body(statement);
        out << ")\n";
    });
    return out.str();
}

inline void write(const std::string &path, const std::string &text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) {
        throw std::runtime_error("`" + path + "` cannot be written");
    }
}

}  // namespace halidom
