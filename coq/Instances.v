(** Semirings that programs run in: a certificate's theorems hold over any, and each certificate
    states them for the elements of its program.

    [prim] gives the scalar functions of a program their meaning; nothing is assumed of them. *)
From Coq Require Import ZArith Lia List Eqdep_dec.
From Halidom Require Import Tensor.
Open Scope Z_scope.

(** ** Integers that wrap: remainders, of which C's signed numbers are other names *)
Section Wrapping.
Variable bits : N.
Definition modulus := 2 ^ Z.of_N bits.
Definition word := { x : Z | x mod modulus = x }.
Lemma wrap_wraps x : (x mod modulus) mod modulus = x mod modulus.
Proof. apply Z.mod_mod. unfold modulus. apply Z.pow_nonzero; lia. Qed.
Definition wrap (x : Z) : word := exist _ (x mod modulus) (wrap_wraps x).
Definition number (a : word) : Z := proj1_sig a.
Lemma word_eq (a b : word) : number a = number b -> a = b.
Proof. destruct a as [x p], b as [y q]. simpl. intros ->. f_equal. apply UIP_dec, Z.eq_dec. Qed.
Lemma number_wraps a : number a mod modulus = number a.
Proof. exact (proj2_sig a). Qed.
Lemma wrap_number a : wrap (number a) = a.
Proof. apply word_eq. apply number_wraps. Qed.
Lemma wrap_add_l x y : wrap (number (wrap x) + y) = wrap (x + y).
Proof. apply word_eq. apply Zplus_mod_idemp_l. Qed.
Lemma wrap_add_r x y : wrap (x + number (wrap y)) = wrap (x + y).
Proof. apply word_eq. apply Zplus_mod_idemp_r. Qed.
Lemma wrap_mul_l x y : wrap (number (wrap x) * y) = wrap (x * y).
Proof. apply word_eq. apply Zmult_mod_idemp_l. Qed.
Lemma wrap_mul_r x y : wrap (x * number (wrap y)) = wrap (x * y).
Proof. apply word_eq. apply Zmult_mod_idemp_r. Qed.

Definition wrapping (prim : nat -> list word -> word) : semiring.
Proof.
  refine {| carrier := word; k0 := wrap 0; k1 := wrap 1;
      kadd := fun a b => wrap (number a + number b);
            kmul := fun a b => wrap (number a * number b); prim := prim |}.
  - intro a. rewrite wrap_add_l, Z.add_0_l. apply wrap_number.
  - intros a b. f_equal. lia.
  - intros a b c. rewrite wrap_add_l, wrap_add_r. f_equal. lia.
  - intro a. now rewrite wrap_mul_l.
  - intro a. rewrite wrap_mul_l, Z.mul_1_l. apply wrap_number.
  - intros a b. f_equal. lia.
  - intros a b c. rewrite wrap_mul_l, wrap_mul_r. f_equal. lia.
  - intros a b c. rewrite wrap_mul_r, wrap_add_l, wrap_add_r. f_equal. lia.
Defined.
End Wrapping.

(** ** Minimum and addition, with infinity: shortest paths. C's 64-bit numbers are these as long as
    sums of inputs fit. *)
Definition distance := option Z.
Definition nearest (a b : distance) : distance :=
  match a, b with Some x, Some y => Some (Z.min x y) | None, b => b | a, None => a end.
Definition farther (a b : distance) : distance :=
  match a, b with Some x, Some y => Some (x + y) | _, _ => None end.

Definition min_plus (prim : nat -> list distance -> distance) : semiring.
Proof.
  refine {| carrier := distance; k0 := None; k1 := Some 0; kadd := nearest; kmul := farther;
      prim := prim |};
    repeat intros [?|]; simpl; try reflexivity; f_equal; lia.
Defined.
