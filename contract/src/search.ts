/** What a search clause may do with a field; `contract` lists them per record, the server maps each to a column. */
export type SearchOperator = ':' | '~' | '<' | '<=' | '>' | '>='

export type SearchKind = SearchField['kind']

export type SearchField = {
  readonly operators: readonly SearchOperator[]
  /** `field:["a","b"]` is accepted. */
  readonly multiple?: true
  /** `field:null` is accepted. */
  readonly nullable?: true
  /** Exact matches ignore case (e-mail addresses; enums always do). */
  readonly ignoreCase?: true
} & (
  | { readonly kind: 'string' | 'identifier' | 'datetime' | 'boolean' | 'string_list' }
  /** `values` are the allowed ones, spelled as on the wire. */
  | { readonly kind: 'enum'; readonly values: readonly string[] }
)

export type SearchFields = Readonly<Record<string, SearchField>>
