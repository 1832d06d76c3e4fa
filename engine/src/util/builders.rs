//! Methods that change one field of a value.

/// Writes `with_…` methods: outside this crate the types of a task cannot be filled by a struct literal.
macro_rules! builders {
    ($type:ident: $($(#[$doc:meta])* $with:ident($field:ident: $kind:ty);)*) => {
        impl $type {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $with(mut self, $field: $kind) -> Self {
                    self.$field = $field.into();
                    self
                }
            )*
        }
    };
}

pub(crate) use builders;
