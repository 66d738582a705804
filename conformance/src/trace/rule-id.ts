/** What a rule id looks like anywhere in the workspace. */
export const RULE_ID = /^[A-Z]{3}-\d{3}$/

/** The same inside running text. */
export const RULE_IDS_IN_TEXT = /\b[A-Z]{3}-\d{3}\b/g

/** What the id of a property looks like: its rule, a stroke, its number. */
export const PROPERTY_ID = /^[A-Z]{3}-\d{3}\/P\d+\b/
