/** What a search clause may do with a field; `contract` lists them per record, the server maps each to a column. */
export type SearchOperator = ':' | '~' | '<' | '>'

export type SearchKind = 'string' | 'identifier' | 'datetime' | 'boolean' | 'enum' | 'string_list'

export type SearchField = {
  readonly kind: SearchKind
  readonly operators: readonly SearchOperator[]
  /** `field:["a","b"]` is accepted. */
  readonly multiple?: true
  /** `field:null` is accepted. */
  readonly nullable?: true
  /** Exact matches ignore case (e-mail addresses; enums always do). */
  readonly ignoreCase?: true
  /** The allowed values of an enum. */
  readonly values?: readonly string[]
}

export type SearchFields = Readonly<Record<string, SearchField>>
