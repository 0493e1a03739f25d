import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { Icon } from '../../components/icon.tsx'
import { visibleText } from '../../components/visible-text.ts'
import { deviceGroupsQuery } from '../check-queries.ts'

const platforms = [
  ['macos', 'macOS'],
  ['windows', 'Windows'],
  ['linux', 'Linux'],
] as const

type Parts = {
  readonly label: string
  readonly hint: string
  /** What an empty list means. */
  readonly empty: string
  readonly chosen: readonly string[]
  readonly onChange: (groups: readonly string[]) => void
  readonly fault: string | undefined
}

/** Groups of devices and platforms, sorted, since their order means nothing. */
export function GroupPicker({ label, hint, empty, chosen, onChange, fault }: Parts) {
  const id = useId()
  const groups = useQuery(deviceGroupsQuery)
  const names = new Map<string, string>([
    ...platforms,
    ...(groups.data ?? []).map((group) => [group.id, visibleText(group.name)] as const),
  ])
  const others = [...names].filter(([value]) => !chosen.includes(value))
  const nameOf = (value: string) => names.get(value) ?? `Group ${value}`
  return (
    <div className="group-picker">
      <label className="picker-label" htmlFor={id}>
        {label}
      </label>
      <div className="picked">
        {chosen.map((value) => (
          <span className="tag" key={value}>
            <span className="ellipsis" title={nameOf(value)}>
              {nameOf(value)}
            </span>
            <button
              type="button"
              aria-label={`Remove ${nameOf(value)} from ${label}`}
              onClick={() => onChange(chosen.filter((other) => other !== value))}
            >
              <Icon name="close" size={14} />
            </button>
          </span>
        ))}
        <select
          id={id}
          value=""
          aria-describedby={`${id}-hint`}
          onChange={(event) => onChange([...chosen, event.currentTarget.value].sort())}
        >
          <option value="">{chosen.length === 0 ? empty : 'Add…'}</option>
          {others.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <p id={`${id}-hint`} className={fault === undefined ? 'small faint' : 'small bad'}>
        {fault ?? hint}
      </p>
    </div>
  )
}
