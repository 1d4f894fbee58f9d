// Reads a dump back as Halide's own tree, and compiles it as Halide compiles the result of
// lowering. Halide's constructors check types; a tree that they refuse is refused.

#include "dump.h"

namespace halidom {

// The tree of a dump.
class Reader {
    const std::string text;
    size_t at = 0;
    std::map<std::string, Type> pointees;
    std::map<std::string, Parameter> inputs, outputs;

public:
    std::map<std::string, Buffer<>> images;
    std::vector<LoweredArgument> arguments;
    std::string target;
    bool strict_float = false;
    Stmt statement;

    explicit Reader(const std::string &source)
        : text(source) {
        const Type known[] = {
            type_of<void *>(), type_of<const void *>(), type_of<char *>(), type_of<const char *>(),
            type_of<uint8_t *>(), type_of<const uint8_t *>(), type_of<int32_t *>(),
            type_of<uint32_t *>(), type_of<uint64_t *>(),
            type_of<struct halide_buffer_t *>(), type_of<const struct halide_buffer_t *>(),
            type_of<struct halide_dimension_t *>(), type_of<const struct halide_dimension_t *>(),
            type_of<struct halide_semaphore_t *>(),
            type_of<const struct halide_device_interface_t *>(),
            type_of<struct halide_device_interface_t *>(),
        };
        for (Type type : known) {
            pointees[type_to_c_type(type, false)] = type;
        }
    }

    [[noreturn]] void refuse(const std::string &what) {
        throw Unsupported(what + " at byte " + std::to_string(at) + " of the dump");
    }

    void read() {
        const std::string first = std::string(VERSION_LINE) + "\n";
        if (text.compare(0, first.size(), first) != 0) {
            refuse("a first line that is not `" + std::string(VERSION_LINE) + "`");
        }
        at = first.size();
        while (true) {
            open();
            const std::string head = word();
            if (head == "target") {
                target = string();
                close();
            } else if (head == "strict-float") {
                strict_float = word() == "yes";
                close();
            } else if (head == "argument") {
                argument();
            } else if (head == "image") {
                image();
            } else if (head == "statement") {
                statement = list();
                return;
            } else {
                refuse("`" + head + "`");
            }
        }
    }

private:
    void blanks() {
        while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) {
            at++;
        }
    }

    char peek() {
        blanks();
        return at < text.size() ? text[at] : '\0';
    }

    void eat(char c) {
        if (peek() != c) {
            refuse(std::string("no `") + c + "`");
        }
        at++;
    }

    void open() {
        eat('(');
    }

    void close() {
        eat(')');
    }

    std::string word() {
        blanks();
        const size_t begin = at;
        while (at < text.size() && !strchr(" \n()\"", text[at])) {
            at++;
        }
        if (at == begin) {
            refuse("no word");
        }
        return text.substr(begin, at - begin);
    }

    // Tests whether a part with this word comes next, and if so consumes its beginning.
    bool part(const char *name) {
        if (peek() != '(') {
            return false;
        }
        const size_t begin = at;
        at++;
        if (peek() != '(' && peek() != '"' && word() == name) {
            return true;
        }
        at = begin;
        return false;
    }

    int64_t integer() {
        const std::string digits = word();
        size_t used = 0;
        int64_t value = 0;
        try {
            value = std::stoll(digits, &used);
        } catch (const std::exception &) {
        }
        if (used != digits.size()) {
            refuse("`" + digits + "`, which is no integer,");
        }
        return value;
    }

    int small() {
        const int64_t value = integer();
        if (value != (int)value) {
            refuse("a number that is too large");
        }
        return (int)value;
    }

    std::string string() {
        eat('"');
        std::string out;
        while (at < text.size() && text[at] != '"') {
            if (text[at] == '\\') {
                at++;
                if (at < text.size() && text[at] == 'x') {
                    out += (char)std::stoi(text.substr(at + 1, 2), nullptr, 16);
                    at += 3;
                    continue;
                }
            }
            if (at < text.size()) {
                out += text[at++];
            }
        }
        eat('"');
        return out;
    }

    template<size_t N>
    int one_of(const char *const (&table)[N]) {
        const std::string found = word();
        for (size_t i = 0; i < N; i++) {
            if (found == table[i]) {
                return (int)i;
            }
        }
        refuse("`" + found + "`");
    }

    Type type() {
        const std::string said = word();
        if (said[0] != 'h') {
            return number_type(said);
        }
        Type out = Handle();
        std::string lanes = said.substr(1);
        if (lanes.empty() && at < text.size() && text[at] == '"') {
            const std::string pointee = string();
            auto found = pointees.find(pointee);
            if (found == pointees.end()) {
                refuse("the pointer type `" + pointee + "`");
            }
            out = found->second;
            lanes = at < text.size() && text[at] == 'x' ? word() : "";
        }
        return lanes.empty() ? out : out.with_lanes(std::stoi(lanes.substr(1)));
    }

    bool is_number_type(const std::string &said) {
        const size_t letters = said.rfind("bf", 0) == 0 ? 2 : 1;
        return said.size() > letters && strchr("iufb", said[0]) &&
               isdigit((unsigned char)said[letters]);
    }

    Type number_type(const std::string &said) {
        if (!is_number_type(said)) {
            refuse("`" + said + "`, which is no type,");
        }
        const size_t letters = said[0] == 'b' ? 2 : 1;
        size_t used = 0;
        const int bits = std::stoi(said.substr(letters), &used);
        const std::string rest = said.substr(letters + used);
        const int lanes = rest.empty() ? 1 : std::stoi(rest.substr(1));
        switch (said[0]) {
        case 'i':
            return Int(bits, lanes);
        case 'u':
            return UInt(bits, lanes);
        case 'f':
            return Float(bits, lanes);
        default:
            return BFloat(bits, lanes);
        }
    }

    // The constraints on a dimension. Code generators do not look at them.
    void constraint(Parameter &made) {
        open();
        const std::string head = word();
        const int dim = small();
        if (head != "dim" || dim < 0 || dim >= made.dimensions()) {
            refuse("a constraint on no dimension");
        }
        while (peek() == '(') {
            open();
            const std::string side = word();
            const Expr value = expr();
            if (side == "min") {
                made.set_min_constraint(dim, value);
            } else if (side == "extent") {
                made.set_extent_constraint(dim, value);
            } else if (side == "stride") {
                made.set_stride_constraint(dim, value);
            } else {
                refuse("a constraint on no side of a dimension");
            }
            close();
        }
        close();
    }

    // The range of a parameter. Code generators do not look at it.
    ArgumentEstimates range() {
        ArgumentEstimates made;
        while (peek() == '(') {
            open();
            const std::string end = word();
            const Expr value = expr();
            if (end == "min") {
                made.scalar_min = value;
            } else if (end == "max") {
                made.scalar_max = value;
            } else {
                refuse("a range without this end");
            }
            close();
        }
        return made;
    }

    void argument() {
        const std::string kind = word();
        const std::string name = string();
        const Type type = this->type();
        if (kind == "input-scalar") {
            arguments.emplace_back(name, Argument::InputScalar, type, 0, range());
        } else {
            const int dimensions = small(), alignment = small();
            const bool is_input = kind == "input-buffer";
            Parameter made(type, true, dimensions, name);
            made.set_host_alignment(alignment);
            while (peek() == '(') {
                constraint(made);
            }
            (is_input ? inputs : outputs)[name] = made;
            const auto kind = is_input ? Argument::InputBuffer : Argument::OutputBuffer;
            arguments.emplace_back(name, kind, type, dimensions, ArgumentEstimates{});
        }
        close();
    }

    void image() {
        const std::string name = string();
        const Type type = this->type();
        std::vector<halide_dimension_t> dims;
        open();
        while (peek() != ')') {
            open();
            const int min = small(), extent = small(), stride = small();
            dims.emplace_back(min, extent, stride);
            close();
        }
        close();
        const std::string digits = word();
        close();
        // Halide needs the shape first, to take memory of its own in the same layout.
        Runtime::Buffer<> shape(type, nullptr, (int)dims.size(), dims.data());
        if (digits != "none" && shape.size_in_bytes() * 2 != digits.size()) {
            refuse("an image whose bytes are not those of its shape");
        }
        // Lives as long as the process, as the image does.
        std::vector<uint8_t> *memory = new std::vector<uint8_t>;
        for (size_t i = 0; digits != "none" && i < digits.size(); i += 2) {
            memory->push_back((uint8_t)std::stoi(digits.substr(i, 2), nullptr, 16));
        }
        Runtime::Buffer<> held(type, memory->data(), (int)dims.size(), dims.data());
        images[name] = Buffer<>(std::move(held), name);
    }

    // Statements up to and including the closing parenthesis.
    Stmt list() {
        struct Pending {
            bool declares;
            std::function<Stmt(Stmt)> around;
            Stmt stmt;
        };
        std::vector<Pending> parts;
        while (peek() != ')') {
            open();
            const std::string head = word();
            if (head == "let") {
                const std::string name = string();
                Expr value = expr();
                close();
                parts.push_back(
                    {true, [=](Stmt body) { return LetStmt::make(name, value, body); }, Stmt()});
            } else if (head == "allocate") {
                parts.push_back({true, allocate(), Stmt()});
            } else {
                parts.push_back({false, nullptr, stmt(head)});
            }
        }
        close();
        Stmt rest;
        for (size_t i = parts.size(); i > 0; i--) {
            const Pending &part = parts[i - 1];
            if (part.declares) {
                rest = part.around(rest.defined() ? rest : Evaluate::make(0));
            } else {
                rest = rest.defined() ? Block::make(part.stmt, rest) : part.stmt;
            }
        }
        return rest.defined() ? rest : Evaluate::make(0);
    }

    std::function<Stmt(Stmt)> allocate() {
        const std::string name = string();
        const Type type = this->type();
        const MemoryType memory = (MemoryType)one_of(MEMORIES);
        const int padding = small();
        std::vector<Expr> extents;
        open();
        while (peek() != ')') {
            extents.push_back(expr());
        }
        close();
        Expr condition = const_true(), made;
        std::string freed;
        if (part("if")) {
            condition = expr();
            close();
        }
        if (part("new")) {
            made = expr();
            close();
        }
        if (part("free")) {
            freed = string();
            close();
        }
        close();
        return [=](Stmt body) {
            return Allocate::make(name, type, memory, extents, condition, body, made, freed,
                                  padding);
        };
    }

    Stmt stmt(const std::string &head) {
        if (head == "assert") {
            Expr condition = expr(), message = expr();
            close();
            return AssertStmt::make(condition, message);
        }
        if (head == "produce" || head == "consume") {
            const std::string name = string();
            return ProducerConsumer::make(name, head == "produce", list());
        }
        if (head == "for") {
            const ForType kind = (ForType)one_of(LOOPS);
            const DeviceAPI device = (DeviceAPI)one_of(DEVICES);
            const std::string name = string();
            Expr min = expr(), extent = expr();
            return For::make(name, min, extent, kind, Partition::Auto, device, list());
        }
        if (head == "acquire") {
            Expr semaphore = expr(), count = expr();
            return Acquire::make(semaphore, count, list());
        }
        if (head == "store") {
            const std::string name = string();
            Expr index = expr(), value = expr();
            Expr predicate = const_true(value.type().lanes());
            ModulusRemainder alignment;
            options(predicate, alignment);
            close();
            auto found = outputs.find(name);
            const Parameter output = found == outputs.end() ? Parameter() : found->second;
            return Store::make(name, value, index, output, predicate, alignment);
        }
        if (head == "free") {
            const std::string name = string();
            close();
            return Free::make(name);
        }
        if (head == "fork") {
            std::vector<Stmt> tasks;
            while (part("task")) {
                tasks.push_back(list());
            }
            close();
            if (tasks.empty()) {
                return Evaluate::make(0);
            }
            Stmt rest = tasks.back();
            for (size_t i = tasks.size() - 1; i > 0; i--) {
                rest = Fork::make(tasks[i - 1], rest);
            }
            return rest;
        }
        if (head == "if") {
            Expr condition = expr();
            if (!part("then")) {
                refuse("an `if` without `then`");
            }
            Stmt then_case = list(), else_case;
            if (part("else")) {
                else_case = list();
            }
            close();
            return IfThenElse::make(condition, then_case, else_case);
        }
        if (head == "evaluate") {
            Expr value = expr();
            close();
            return Evaluate::make(value);
        }
        if (head == "atomic") {
            const std::string producer = string();
            std::string mutex;
            if (part("mutex")) {
                mutex = string();
                close();
            }
            return Atomic::make(producer, mutex, list());
        }
        if (head == "scope") {
            return list();
        }
        refuse("the statement `" + head + "`");
    }

    void options(Expr &predicate, ModulusRemainder &alignment) {
        if (part("if")) {
            predicate = expr();
            close();
        }
        if (part("align")) {
            const int64_t modulus = integer(), remainder = integer();
            alignment = ModulusRemainder(modulus, remainder);
            close();
        }
    }

    std::vector<Expr> exprs() {
        std::vector<Expr> out;
        while (peek() != ')') {
            out.push_back(expr());
        }
        return out;
    }

    Expr expr() {
        if (peek() == '"') {
            return StringImm::make(string());
        }
        open();
        const std::string head = word();
        Expr out = inner(head);
        close();
        return out;
    }

    Expr inner(const std::string &head) {
        if (head == "load") {
            const Type type = this->type();
            const std::string name = string();
            Expr index = expr();
            Expr predicate = const_true(type.lanes());
            ModulusRemainder alignment;
            options(predicate, alignment);
            auto image = images.find(name);
            auto input = inputs.find(name);
            const Buffer<> own = image == images.end() ? Buffer<>() : image->second;
            const Parameter given = input == inputs.end() ? Parameter() : input->second;
            return Load::make(type, name, index, own, given, predicate, alignment);
        }
        if (head == "var") {
            const Type type = this->type();
            const std::string name = string();
            for (const auto &image : images) {
                if (name.rfind(image.first + ".", 0) == 0) {
                    return Variable::make(type, name, image.second);
                }
            }
            return Variable::make(type, name);
        }
        if (head == "call") {
            const Type type = this->type();
            const std::string name = string();
            const auto kind = (Call::CallType)one_of(CALLS);
            const int component = small();
            return Call::make(type, name, exprs(), kind, FunctionPtr(), component);
        }
        if (head == "let") {
            const std::string name = string();
            Expr value = expr(), body = expr();
            return Let::make(name, value, body);
        }
        if (head == "cast" || head == "reinterpret") {
            const Type type = this->type();
            Expr value = expr();
            return head == "cast" ? Cast::make(type, value) : Reinterpret::make(type, value);
        }
        if (head == "!") {
            return Not::make(expr());
        }
        if (head == "select") {
            Expr condition = expr(), yes = expr(), no = expr();
            return Select::make(condition, yes, no);
        }
        if (head == "ramp") {
            const int lanes = small();
            Expr base = expr(), stride = expr();
            return Ramp::make(base, stride, lanes);
        }
        if (head == "broadcast") {
            const int lanes = small();
            return Broadcast::make(expr(), lanes);
        }
        if (head == "shuffle") {
            return shuffle();
        }
        if (head == "reduce") {
            const Type type = this->type();
            const auto op = (VectorReduce::Operator)one_of(REDUCTIONS);
            Expr out = VectorReduce::make(op, expr(), type.lanes());
            if (out.type() != type) {
                refuse("a reduction of another type");
            }
            return out;
        }
        if (is_number_type(head)) {
            return constant(number_type(head));
        }
        Expr a = expr(), b = expr();
        if (head == "+") return Add::make(a, b);
        if (head == "-") return Sub::make(a, b);
        if (head == "*") return Mul::make(a, b);
        if (head == "/") return Div::make(a, b);
        if (head == "%") return Mod::make(a, b);
        if (head == "min") return Min::make(a, b);
        if (head == "max") return Max::make(a, b);
        if (head == "==") return EQ::make(a, b);
        if (head == "!=") return NE::make(a, b);
        if (head == "<") return LT::make(a, b);
        if (head == "<=") return LE::make(a, b);
        if (head == ">") return GT::make(a, b);
        if (head == ">=") return GE::make(a, b);
        if (head == "&&") return And::make(a, b);
        if (head == "||") return Or::make(a, b);
        refuse("the expression `" + head + "`");
    }

    Expr constant(Type type) {
        if (type.is_float() || type.is_bfloat()) {
            const std::string digits = word();
            const uint64_t bits = std::stoull(digits, nullptr, 16);
            double value;
            memcpy(&value, &bits, sizeof value);
            return FloatImm::make(type, value);
        }
        if (type.is_uint()) {
            return UIntImm::make(type, std::stoull(word()));
        }
        return IntImm::make(type, integer());
    }

    Expr shuffle() {
        std::vector<int> numbers;
        std::string kind;
        if (peek() == '(') {
            open();
            kind = word();
            while (peek() != ')') {
                numbers.push_back(small());
            }
            close();
        } else {
            kind = word();
        }
        const std::vector<Expr> vectors = exprs();
        if (kind == "concat") {
            return Shuffle::make_concat(vectors);
        }
        if (kind == "interleave") {
            return Shuffle::make_interleave(vectors);
        }
        if (kind == "slice" && numbers.size() == 3) {
            std::vector<int> lanes;
            for (int i = 0; i < numbers[2]; i++) {
                lanes.push_back(numbers[0] + i * numbers[1]);
            }
            return Shuffle::make(vectors, lanes);
        }
        return Shuffle::make(vectors, numbers);
    }
};

// The images that the loads and names of a statement point to.
struct Pictured : IRVisitor {
    using IRVisitor::visit;
    std::map<std::string, Buffer<>> found;
    void visit(const Load *op) override {
        if (op->image.defined()) {
            found[op->name] = op->image;
        }
        IRVisitor::visit(op);
    }
    void visit(const Variable *op) override {
        if (op->image.defined()) {
            found[op->image.name()] = op->image;
        }
    }
};

const char *const FUNCTION = "pipeline";

inline Module module_of(Reader &reader, const std::string &machine) {
    const Target target(machine.empty() ? reader.target : machine);
    Module module(FUNCTION, target);
    std::exception_ptr failed;
    run_with_large_stack([&]() {
        try {
            reader.read();
            const Target own = machine.empty() ? Target(reader.target) : target;
            module = Module(FUNCTION, own);
            module.set_any_strict_float(reader.strict_float);
            module.set_conceptual_code_stmt(reader.statement);
            Stmt s = reader.statement;
            if (own.has_gpu_feature()) {
                s = inject_gpu_offload(s, own);
            }
            // Collected before parallel loops become closures, whose loads point to no image.
            Pictured pictured;
            s.accept(&pictured);
            std::vector<LoweredFunc> closures;
            s = lower_parallel_tasks(s, closures, FUNCTION, own);
            for (const LoweredFunc &closure : closures) {
                module.append(closure);
            }
            for (const auto &image : pictured.found) {
                module.append(image.second);
            }
            module.append(
                LoweredFunc(FUNCTION, reader.arguments, s, LinkageType::ExternalPlusMetadata));
        } catch (...) {
            failed = std::current_exception();
        }
    });
    if (failed) {
        std::rethrow_exception(failed);
    }
    return module;
}

inline std::string read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) {
        throw std::runtime_error("`" + path + "` cannot be read");
    }
    return text.str();
}

}  // namespace halidom
