import './sort-choice.css'

type Parts<Sort extends string> = {
  /** By what the list can be sorted; `usual` is the order of an address that names none. */
  readonly words: Readonly<Partial<Record<Sort | 'usual', string>>>
  readonly sort: Sort | undefined
  readonly onSort: (sort: Sort | undefined) => void
}

/** The order of a list where its rows have no heads: on a phone. */
export const SortChoice = <Sort extends string>({ words, sort, onSort }: Parts<Sort>) => (
  <label className="sort-choice">
    Sort
    <select
      className="select"
      value={sort ?? 'usual'}
      onChange={({ currentTarget: { value } }) => onSort(value === 'usual' ? undefined : (value as Sort))}
    >
      {Object.entries(words).map(([value, text]) => (
        <option key={value} value={value}>
          {String(text)}
        </option>
      ))}
    </select>
  </label>
)
