// Runs counterexamples of `halidom verify` on a compiled Halide.
//
// Each question builds the input of a finding, simplifies it, and evaluates input and result on the
// finding's values with the evaluator below, which shares nothing with the compiler but its nodes.
#include "Halide.h"
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace Halide;
using namespace Halide::Internal;

typedef __int128 Whole;

// The value of a lane. An undefined one comes from an overflow that the language excludes.
struct Lane {
    bool is_undefined = false;
    Whole whole = 0;
    double real = 0;
};
typedef std::vector<Lane> Lanes;

// Thrown at a node that the evaluator does not know.
struct Unknown {
    std::string what;
};

struct Value {
    std::string digits;
    double real;
};
static std::map<std::string, Value> given;

static Whole whole_of(const std::string &digits) {
    Whole value = 0;
    for (char digit : digits) {
        if (digit != '-') {
            value = value * 10 + (digit - '0');
        }
    }
    return digits[0] == '-' ? -value : value;
}

static Whole wrapped(Type type, Whole value) {
    Whole size = (Whole)1 << type.bits();
    value = ((value % size) + size) % size;
    return type.is_int() && value >= size / 2 ? value - size : value;
}

static Lane made(Type type, Whole value) {
    Lane lane;
    lane.whole = wrapped(type, value);
    lane.is_undefined = type.is_int() && type.bits() >= 32 && lane.whole != value;
    return lane;
}

static Whole quotient(Whole a, Whole b) {
    if (b == 0) {
        return 0;
    }
    Whole remainder = ((a % b) + (b < 0 ? -b : b)) % (b < 0 ? -b : b);
    return (a - remainder) / b;
}

// The Euclidean division of the language, in which a division by 0 is 0.
static Lane arithmetic(IRNodeType op, Type type, const Lane &a, const Lane &b) {
    Lane lane;
    if (type.is_float()) {
        double x = a.real, y = b.real;
        lane.real = op == IRNodeType::Add ? x + y :
                    op == IRNodeType::Sub ? x - y :
                    op == IRNodeType::Mul ? x * y :
                    op == IRNodeType::Div ? x / y :
                    op == IRNodeType::Mod ? x - y * std::floor(x / y) :
                    op == IRNodeType::Min ? std::min(x, y) :
                                            std::max(x, y);
    } else {
        Whole x = a.whole, y = b.whole;
        lane = made(type, op == IRNodeType::Add ? x + y :
                          op == IRNodeType::Sub ? x - y :
                          op == IRNodeType::Mul ? x * y :
                          op == IRNodeType::Div ? quotient(x, y) :
                          op == IRNodeType::Mod ? (y == 0 ? 0 : x - quotient(x, y) * y) :
                          op == IRNodeType::Min ? std::min(x, y) :
                                                  std::max(x, y));
    }
    lane.is_undefined |= a.is_undefined || b.is_undefined;
    return lane;
}

static Lane compared(IRNodeType op, Type type, const Lane &a, const Lane &b) {
    Whole sign;
    if (type.is_float()) {
        sign = a.real < b.real ? -1 : a.real > b.real;
    } else {
        sign = a.whole < b.whole ? -1 : a.whole > b.whole;
    }
    Lane lane;
    lane.whole = op == IRNodeType::EQ ? sign == 0 :
                 op == IRNodeType::NE ? sign != 0 :
                 op == IRNodeType::LT ? sign < 0 :
                 op == IRNodeType::LE ? sign <= 0 :
                 op == IRNodeType::GT ? sign > 0 :
                                        sign >= 0;
    lane.is_undefined = a.is_undefined || b.is_undefined;
    return lane;
}

static Lanes value_of(const Expr &e);

template<typename Node, typename Of>
static Lanes binary(const Expr &e, Of of) {
    const Node *node = e.as<Node>();
    Lanes a = value_of(node->a), b = value_of(node->b);
    for (size_t i = 0; i < a.size(); i++) {
        a[i] = of(e.node_type(), node->a.type(), a[i], b[i]);
    }
    return a;
}

static Lanes named_value(const std::string &name, Type type) {
    auto known = given.find(name);
    if (known == given.end()) {
        throw Unknown{"the value of " + name};
    }
    Lane lane;
    lane.real = known->second.real;
    lane.whole = type.is_float() ? 0 : wrapped(type, whole_of(known->second.digits));
    return Lanes(type.lanes(), lane);
}

static Lane converted(Type from, Type to, Lane lane) {
    if (to.is_float()) {
        lane.real = from.is_float() ? lane.real : (double)lane.whole;
    } else if (!from.is_float()) {
        lane.whole = wrapped(to, lane.whole);
    } else {
        throw Unknown{"a float that becomes an integer"};
    }
    return lane;
}

static Lanes call_value(const Call *call) {
    if (given.count(call->name)) {
        return named_value(call->name, call->type);
    }
    if (call->is_intrinsic(Call::signed_integer_overflow)) {
        Lane lane;
        lane.is_undefined = true;
        return Lanes(call->type.lanes(), lane);
    }
    if (call->is_intrinsic(Call::likely) || call->is_intrinsic(Call::likely_if_innermost)) {
        return value_of(call->args[0]);
    }
    throw Unknown{"the call " + call->name};
}

static Lanes ramp_value(const Ramp *ramp) {
    Lanes base = value_of(ramp->base), stride = value_of(ramp->stride), lanes;
    for (int i = 0; i < ramp->lanes; i++) {
        for (size_t j = 0; j < base.size(); j++) {
            Lane step = stride[j];
            step.whole *= i;
            step.real *= i;
            lanes.push_back(arithmetic(IRNodeType::Add, ramp->base.type(), base[j], step));
        }
    }
    return lanes;
}

static Lanes literal(Type type, Whole whole, double real) {
    Lane lane;
    lane.whole = whole;
    lane.real = real;
    return Lanes(type.lanes(), lane);
}

static Lanes select_value(const Select *select) {
    Lanes condition = value_of(select->condition);
    Lanes a = value_of(select->true_value), b = value_of(select->false_value);
    for (size_t i = 0; i < a.size(); i++) {
        const Lane &chosen = condition[condition.size() == 1 ? 0 : i];
        // What is not chosen may overflow.
        a[i] = chosen.whole ? a[i] : b[i];
        a[i].is_undefined |= chosen.is_undefined;
    }
    return a;
}

static Lanes cast_value(const Cast *cast) {
    Lanes lanes = value_of(cast->value);
    for (Lane &lane : lanes) {
        lane = converted(cast->value.type(), cast->type, lane);
    }
    return lanes;
}

static Lanes broadcast_value(const Broadcast *broadcast) {
    Lanes inner = value_of(broadcast->value), lanes;
    for (int i = 0; i < broadcast->lanes; i++) {
        lanes.insert(lanes.end(), inner.begin(), inner.end());
    }
    return lanes;
}

static Lanes value_of(const Expr &e) {
    auto logic = [](IRNodeType op, Type, Lane a, const Lane &b) {
        a.whole = op == IRNodeType::And ? (a.whole && b.whole) : (a.whole || b.whole);
        a.is_undefined |= b.is_undefined;
        return a;
    };
    switch (e.node_type()) {
    case IRNodeType::IntImm:
        return literal(e.type(), e.as<IntImm>()->value, 0);
    case IRNodeType::UIntImm:
        return literal(e.type(), e.as<UIntImm>()->value, 0);
    case IRNodeType::FloatImm:
        return literal(e.type(), 0, e.as<FloatImm>()->value);
    case IRNodeType::Variable:
        return named_value(e.as<Variable>()->name, e.type());
    case IRNodeType::Add:
        return binary<Add>(e, arithmetic);
    case IRNodeType::Sub:
        return binary<Sub>(e, arithmetic);
    case IRNodeType::Mul:
        return binary<Mul>(e, arithmetic);
    case IRNodeType::Div:
        return binary<Div>(e, arithmetic);
    case IRNodeType::Mod:
        return binary<Mod>(e, arithmetic);
    case IRNodeType::Min:
        return binary<Min>(e, arithmetic);
    case IRNodeType::Max:
        return binary<Max>(e, arithmetic);
    case IRNodeType::EQ:
        return binary<EQ>(e, compared);
    case IRNodeType::NE:
        return binary<NE>(e, compared);
    case IRNodeType::LT:
        return binary<LT>(e, compared);
    case IRNodeType::LE:
        return binary<LE>(e, compared);
    case IRNodeType::GT:
        return binary<GT>(e, compared);
    case IRNodeType::GE:
        return binary<GE>(e, compared);
    case IRNodeType::And:
        return binary<And>(e, logic);
    case IRNodeType::Or:
        return binary<Or>(e, logic);
    case IRNodeType::Not: {
        Lanes lanes = value_of(e.as<Not>()->a);
        for (Lane &lane : lanes) {
            lane.whole = !lane.whole;
        }
        return lanes;
    }
    case IRNodeType::Select:
        return select_value(e.as<Select>());
    case IRNodeType::Cast:
        return cast_value(e.as<Cast>());
    case IRNodeType::Broadcast:
        return broadcast_value(e.as<Broadcast>());
    case IRNodeType::Ramp:
        return ramp_value(e.as<Ramp>());
    case IRNodeType::Call:
        return call_value(e.as<Call>());
    case IRNodeType::Let: {
        const Let *let = e.as<Let>();
        return value_of(substitute(let->name, let->value, let->body));
    }
    default: {
        std::ostringstream text;
        text << e;
        throw Unknown{text.str()};
    }
    }
}

static bool is_undefined(const Lanes &lanes) {
    for (const Lane &lane : lanes) {
        if (lane.is_undefined) {
            return true;
        }
    }
    return false;
}

// True if two values of one type differ. Floats differ if rounding does not explain it.
static bool differ(Type type, const Lanes &a, const Lanes &b) {
    if (a.size() != b.size()) {
        return true;
    }
    for (size_t i = 0; i < a.size(); i++) {
        if (a[i].is_undefined != b[i].is_undefined) {
            return true;
        }
        double room = 1e-4 * std::max(1.0, std::max(std::fabs(a[i].real), std::fabs(b[i].real)));
        bool is_near = std::fabs(a[i].real - b[i].real) <= room;
        if (type.is_float() ? !is_near : a[i].whole != b[i].whole) {
            return true;
        }
    }
    return false;
}

static std::string shown(Type type, const Lanes &lanes) {
    std::ostringstream text;
    for (size_t i = 0; i < lanes.size(); i++) {
        text << (i ? ", " : "");
        if (lanes[i].is_undefined) {
            text << "undefined";
        } else if (type.is_float()) {
            text << lanes[i].real;
        } else if (type.is_uint()) {
            text << (uint64_t)lanes[i].whole;
        } else {
            text << (int64_t)lanes[i].whole;
        }
    }
    return text.str();
}

static std::vector<Expr> operands(const Expr &e) {
    std::vector<Expr> found;
    struct Direct : IRMutator {
        std::vector<Expr> &found;
        explicit Direct(std::vector<Expr> &found)
            : found(found) {
        }
        using IRMutator::mutate;
        Expr mutate(const Expr &e) override {
            found.push_back(e);
            return e;
        }
        Expr of(const Expr &e) {
            return IRMutator::mutate(e);
        }
    } direct(found);
    direct.of(e);
    return found;
}

// True if two expressions are the same but for the order of operands.
static bool same(const Expr &a, const Expr &b) {
    if (equal(a, b)) {
        return true;
    }
    std::vector<Expr> of_a = operands(a), of_b = operands(b);
    bool is_alike = a.node_type() == b.node_type() && a.type() == b.type() && !of_a.empty() &&
                    of_a.size() == of_b.size();
    if (!is_alike) {
        return false;
    }
    bool is_straight = true, is_crossed = of_a.size() == 2;
    for (size_t i = 0; i < of_a.size(); i++) {
        is_straight = is_straight && same(of_a[i], of_b[i]);
        is_crossed = is_crossed && same(of_a[i], of_b[of_a.size() - 1 - i]);
    }
    return is_straight || is_crossed;
}

static std::string json(const std::string &text) {
    std::string quoted = "\"";
    for (char letter : text) {
        if (letter == '"' || letter == '\\') {
            quoted += '\\';
        }
        quoted += letter == '\n' ? ' ' : letter;
    }
    return quoted + "\"";
}

static std::string text(const Expr &e) {
    std::ostringstream stream;
    stream << e;
    return stream.str();
}

static void answer(const std::string &status, const std::string &why) {
    printf("{\"status\": %s, \"why\": %s}\n", json(status).c_str(), json(why).c_str());
    fflush(stdout);
    _exit(0);
}

// The names of the input as variables, or as calls of which nothing is known: the compiler orders
// operands by their kinds, so that a rule may apply to one of these inputs alone.
static Expr named(Type type, const char *name, bool is_call) {
    return is_call ? Call::make(type, name, {}, Call::PureExtern) : Variable::make(type, name);
}

static Expr fold(const Expr &e) {
    return simplify(e);
}

// Simplifies the input and compares values. `after` is what the rule makes of it, if C++ builds it.
static void examine(const Expr &before, const Expr &after, bool is_crash) {
    Expr result = simplify(before);
    if (is_crash) {
        answer("unchanged", "the compiler does not fail, and makes " + text(result));
    }
    try {
        Type type = before.type();
        if (result.type() != type) {
            answer("confirmed", text(before) + " becomes " + text(result) + " of another type");
        }
        Lanes expected = value_of(before), got = value_of(result);
        if (is_undefined(expected)) {
            answer("undefined", text(before) + " is undefined on these values");
        }
        if (differ(type, expected, got)) {
            std::string why = text(before) + " becomes " + text(result) + ": " +
                              shown(type, expected) + " becomes " + shown(type, got);
            if (after.defined() && differ(type, value_of(after), got)) {
                answer("other value", why + ", where the rule gives " +
                                          shown(type, value_of(after)));
            }
            answer("confirmed", why);
        }
    } catch (Unknown &unknown) {
        answer("unknown", "the test does not evaluate " + unknown.what);
    }
    for (const Expr &operand : operands(before)) {
        Expr inner = simplify(operand);
        if (!same(inner, operand)) {
            answer("operand", text(operand) + " is " + text(inner) + " before the rule is tried");
        }
    }
    if (same(result, before)) {
        answer("unchanged", text(before) + " stays as it is");
    }
    answer("first", text(before) + " becomes " + text(result) + " by other code");
}

// Runs a question in a process of its own, because the compiler ends one in which it fails.
static void run(int number, unsigned instance, bool is_crash, void (*question)(unsigned)) {
    printf("{\"question\": %d, \"instance\": %u}\n", number, instance);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        fclose(stderr);
        alarm(20);
        question(instance);
        _exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        printf("{\"status\": \"%s\", \"why\": \"the compiler ends by signal %d\"}\n",
               signal == SIGALRM ? "endless" : is_crash ? "confirmed" : "failed", signal);
        fflush(stdout);
    }
}

