"""A schedule as an operation of TT-Lang, the vendor's tile language, which its simulator executes."""
