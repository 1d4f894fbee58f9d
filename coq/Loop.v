(** The loop nests that programs are lowered to: a deep embedding, with a semantics that fails at
    the first access out of bounds.

    Memory is a set of named arrays, each with a shape and contents. An access names an array and
    one index for each of its dimensions; every index must be in range. A store adds to what is
    there; [New] makes an array of zeros that lives as long as its body. *)
From Coq Require Import ZArith Lia Bool List String.
From Halidom Require Import Tensor.
Open Scope Z_scope.
Import ListNotations.

Inductive index :=
| Var (x : string) | Num (c : Z)
| Plus (a b : index) | Minus (a b : index) | Times (a b : index) | Over (a b : index)
| Rem (a b : index) | Up (a b : index)
| Least (a b : index) | Most (a b : index).
Inductive test :=
  Yes | No | Lt (a b : index) | Le (a b : index) | Eq (a b : index) | And (p q : test).
Inductive scalar :=
| Zero | One | Fetch (a : string) (is : list index) | Sum2 (a b : scalar) | Mul2 (a b : scalar)
| When (p : test) (a : scalar)
| Apply0 (f : nat) | Apply1 (f : nat) (a : scalar) | Apply2 (f : nat) (a b : scalar).
Inductive stmt :=
| Skip | Store (a : string) (is : list index) (e : scalar) | Seq (s t : stmt)
| For (x : string) (lo hi : index) (s : stmt)
| If (p : test) (s : stmt) | New (a : string) (sh : list index) (s : stmt) | Clear (a : string).

Definition env := list (string * Z).
Fixpoint value (r : env) (x : string) : Z :=
  match r with [] => 0 | (y, v) :: r => if String.eqb x y then v else value r x end.
Fixpoint ieval (r : env) (e : index) : Z :=
  match e with
  | Var x => value r x
  | Num c => c
  | Plus a b => ieval r a + ieval r b
  | Minus a b => ieval r a - ieval r b
  | Times a b => ieval r a * ieval r b
  | Over a b => ieval r a / ieval r b
  | Rem a b => ieval r a mod ieval r b
  | Up a b => cdiv (ieval r a) (ieval r b)
  | Least a b => Z.min (ieval r a) (ieval r b)
  | Most a b => Z.max (ieval r a) (ieval r b)
  end.
Fixpoint teval (r : env) (p : test) : bool :=
  match p with
  | Yes => true
  | No => false
  | Lt a b => ieval r a <? ieval r b
  | Le a b => ieval r a <=? ieval r b
  | Eq a b => ieval r a =? ieval r b
  | And p q => teval r p && teval r q
  end.

Section Semantics.
Context {K : semiring}.

Record array := Array { shape : list Z; contents : list Z -> K }.
Definition memory := string -> option array.

Fixpoint inside (is sh : list Z) : bool :=
  match is, sh with
  | [], [] => true
  | i :: is, n :: sh => within 0 n i && inside is sh
  | _, _ => false
  end.
Fixpoint same (is js : list Z) : bool :=
  match is, js with
  | [], [] => true
  | i :: is, j :: js => (i =? j) && same is js
  | _, _ => false
  end.
Definition set (m : memory) (a : string) (v : option array) : memory :=
  fun b => if String.eqb a b then v else m b.
Definition bump (c : list Z -> K) (is : list Z) (v : K) : list Z -> K :=
  fun js => if same js is then kadd K (c js) v else c js.

(** [None]: an access out of bounds, or to no array. *)
Fixpoint seval (r : env) (m : memory) (e : scalar) : option K :=
  match e with
  | Zero => Some (k0 K)
  | One => Some (k1 K)
  | Fetch a is =>
      match m a with
      | Some v => let js := map (ieval r) is in if inside js (shape v) then Some (contents v js)
          else None
      | None => None
      end
  | Sum2 a b => match seval r m a, seval r m b with Some x, Some y => Some (kadd K x y)
      | _, _ => None end
  | Mul2 a b => match seval r m a, seval r m b with Some x, Some y => Some (kmul K x y)
      | _, _ => None end
  | When p a => if teval r p then seval r m a else Some (k0 K)
  | Apply0 f => Some (prim K f [])
  | Apply1 f a => match seval r m a with Some x => Some (prim K f [x]) | None => None end
  | Apply2 f a b => match seval r m a, seval r m b with Some x, Some y => Some (prim K f [x; y])
      | _, _ => None end
  end.

Fixpoint times (n : nat) (lo : Z) (body : Z -> memory -> option memory) (m : memory) :
  option memory :=
  match n with
  | O => Some m
  | S n => match times n lo body m with Some m => body (lo + Z.of_nat n) m | None => None end
  end.

Fixpoint exec (r : env) (s : stmt) (m : memory) : option memory :=
  match s with
  | Skip => Some m
  | Store a is e =>
      match m a, seval r m e with
      | Some v, Some x =>
          let js := map (ieval r) is in
          if inside js (shape v)
          then Some (set m a (Some (Array (shape v) (bump (contents v) js x)))) else None
      | _, _ => None
      end
  | Seq s t => match exec r s m with Some m => exec r t m | None => None end
  | For x lo hi s => times (Z.to_nat (ieval r hi - ieval r lo)) (ieval r lo)
      (fun i => exec ((x, i) :: r) s) m
  | If p s => if teval r p then exec r s m else Some m
  | New a sh s =>
      match exec r s (set m a (Some (Array (map (ieval r) sh) (fun _ => k0 K)))) with
      | Some m' => Some (set m' a (m a))
      | None => None
      end
  | Clear a => match m a with Some v => Some (set m a (Some (Array (shape v) (fun _ => k0 K))))
      | None => None end
  end.
End Semantics.
Arguments array : clear implicits.
Arguments memory : clear implicits.
