(** Loop nests as C text. A certificate computes the text of its loop nest with [c_function] and
    states that it is the C that the compiler wrote. *)
From Coq Require Import ZArith List Bool String Ascii DecimalString.
From Halidom Require Import Loop Machine.
Import ListNotations.
Open Scope string_scope.

(** Text is built from the right, so that no append is repeated. *)
Definition text := string -> string.
Definition t (s : string) : text := fun rest => s ++ rest.
Definition cat (a b : text) : text := fun rest => a (b rest).
Infix "+>" := cat (at level 60, right associativity).
Definition newline : text := String (ascii_of_nat 10).
Fixpoint joined (separator : string) (parts : list text) : text :=
  match parts with [] => t "" | [p] => p | p :: ps => p +> t separator +> joined separator ps end.
Definition parens (wrap : bool) (p : text) : text := if wrap then t "(" +> p +> t ")" else p.

(** Binding strength: 0 for a sum, 1 for a product, 2 for what needs no parentheses anywhere. *)
Fixpoint c_index (level : nat) (e : index) : text :=
  match e with
  | Var x => t x
  | Num c => parens (c <? 0)%Z (t (NilZero.string_of_int (Z.to_int c)))
  | Plus a b => parens (Nat.ltb 0 level) (c_index 0 a +> t " + " +> c_index 1 b)
  | Minus a b => parens (Nat.ltb 0 level) (c_index 0 a +> t " - " +> c_index 1 b)
  | Times a b => parens (Nat.ltb 1 level) (c_index 1 a +> t " * " +> c_index 2 b)
  | Over a b => t "atl_div(" +> c_index 0 a +> t ", " +> c_index 0 b +> t ")"
  | Rem a b => t "atl_mod(" +> c_index 0 a +> t ", " +> c_index 0 b +> t ")"
  | Up a b => t "atl_ceil(" +> c_index 0 a +> t ", " +> c_index 0 b +> t ")"
  | Least a b => t "atl_min(" +> c_index 0 a +> t ", " +> c_index 0 b +> t ")"
  | Most a b => t "atl_max(" +> c_index 0 a +> t ", " +> c_index 0 b +> t ")"
  end.
Fixpoint c_test (p : test) : text :=
  match p with
  | Yes => t "1"
  | No => t "0"
  | Lt a b => c_index 0 a +> t " < " +> c_index 0 b
  | Le a b => c_index 0 a +> t " <= " +> c_index 0 b
  | Eq a b => c_index 0 a +> t " == " +> c_index 0 b
  | And p q => c_test p +> t " && " +> c_test q
  end.

Definition c_access (s : shapes) (a : string) (is : list index) : text :=
  t a +> t "[" +> c_index 0 (offset s a is) +> t "]".
Definition c_count (sh : list index) : text := c_index 0 (count sh).

(** What is checked at entry: bounds by functions that give -1 for what is beyond the limit; tests
    that need no size are left out, and none is made twice. *)
Fixpoint c_bound (b : index) : text :=
  match b with
  | Var x => t x
  | Num c => t (NilZero.string_of_int (Z.to_int c))
  | Plus a b => t "atl_up_add(" +> c_bound a +> t ", " +> c_bound b +> t ")"
  | Times a b => t "atl_up_mul(" +> c_bound a +> t ", " +> c_bound b +> t ")"
  | Most a b => t "atl_up_max(" +> c_bound a +> t ", " +> c_bound b +> t ")"
  | Minus _ _ | Over _ _ | Rem _ _ | Up _ _ | Least _ _ => t "-1"
  end.
Definition c_check (c : check) : text :=
  match c with
  | Fits b => t "if (!atl_fits(" +> c_bound b +> t ")) return 1;"
  | Holds p => t "if (!(" +> c_test p +> t ")) return 1;"
  end.
Definition sizeless (c : check) : bool :=
  match c with Fits (Num _) | Holds (Lt (Num _) (Num _)) => passes [] c | _ => false end.
Fixpoint once (seen lines : list string) : list string :=
  match lines with
  | [] => []
  | l :: ls => if existsb (String.eqb l) seen then once seen ls else l :: once (l :: seen) ls
  end.
Definition c_entry (cs : list check) : list text :=
  map t (once [] (map (fun c => c_check c "") (filter (fun c => negb (sizeless c)) cs))).

Section Functions.
(** The C names of uninterpreted functions and literals. *)
Variable names : list string.
(** Lines before the loops over a variable. *)
Variable marks : list (string * string).
Definition name (f : nat) : text := t (nth f names "").
Fixpoint c_scalar (s : shapes) (level : nat) (e : scalar) : text :=
  match e with
  | Zero => t "ATL_ZERO"
  | One => t "ATL_ONE"
  | Fetch a is => c_access s a is
  | Sum2 a b => t "atl_add(" +> c_scalar s 0 a +> t ", " +> c_scalar s 0 b +> t ")"
  | Mul2 a b => t "atl_mul(" +> c_scalar s 0 a +> t ", " +> c_scalar s 0 b +> t ")"
  | When p a => t "(" +> c_test p +> t " ? " +> c_scalar s 0 a +> t " : ATL_ZERO)"
  | Apply0 f => name f
  | Apply1 f a => name f +> t "(" +> c_scalar s 0 a +> t ")"
  | Apply2 f a b => name f +> t "(" +> c_scalar s 0 a +> t ", " +> c_scalar s 0 b +> t ")"
  end.

Definition line (indent : string) (p : text) : text := t indent +> p +> newline.
Fixpoint c_stmt (s : shapes) (indent : string) (c : stmt) : text :=
  match c with
  | Skip => t ""
  | Store a is e =>
      line indent (c_access s a is +> t " = atl_add(" +> c_access s a is +> t ", " +> c_scalar s 0 e
        +> t ");")
  | Seq c d => c_stmt s indent c +> c_stmt s indent d
  | For x lo hi c =>
      fold_right cat (t "")
      (map (fun m => line indent (t (snd m))) (filter (fun m => String.eqb x (fst m)) marks))
      +> line indent (t "for (int64_t " +> t x +> t " = " +> c_index 0 lo +> t "; " +> t x
        +> t " < " +> c_index 0 hi +> t "; " +> t x +> t "++) {")
      +> c_stmt s ("    " ++ indent) c +> line indent (t "}")
  | If p c => line indent (t "if (" +> c_test p +> t ") {") +> c_stmt s ("    " ++ indent) c
      +> line indent (t "}")
  | New a sh c =>
      line indent (t "{")
      +> line ("    " ++ indent) (t "elem *" +> t a +> t " = atl_new(" +> c_count sh +> t ");")
      +> c_stmt ((a, sh) :: s) ("    " ++ indent) c
      +> line ("    " ++ indent) (t "atl_free(" +> t a +> t ");") +> line indent (t "}")
  | Clear a => line indent (t "atl_clear(" +> t a +> t ", " +> c_count (shape_of s a) +> t ");")
  end.

(** A function of sizes, input arrays and one output array. It returns 1, and does nothing else,
    where the checks fail. *)
Definition c_function
  (f : string) (sizes : list string) (inputs : shapes) (output : string * list index)
  (conditions : list test) (c : stmt) : string :=
  (t "int " +> t f +> t "("
   +> joined ", " (map (fun x => t "int64_t " +> t x) sizes ++ map (fun a => t "const elem *"
     +> t (fst a)) inputs ++ [t "elem *" +> t (fst output)])%list
   +> t ")" +> newline +> t "{" +> newline
   +> fold_right cat (t "")
   (map (line "    ") (c_entry (entry sizes conditions (output :: inputs) c)))
   +> c_stmt (output :: inputs) "    " c +> line "    " (t "return 0;") +> t "}" +> newline) "".
End Functions.
