import { Menu, TextInput } from '@mantine/core'
import { useState } from 'react'
import './filter-chip.css'
import { Icon } from './icon.tsx'

type Option = { readonly value: string; readonly text: string }

/** A list with more values than that is searched. */
const searchedFrom = 20

type Parts = {
  readonly field: string
  readonly options: readonly Option[]
  readonly chosen: readonly string[]
  readonly onChange: (values: readonly string[]) => void
  readonly isSingle?: boolean
}

/** One field of a filter: its values are alternatives; the cross takes it away. */
export function FilterChip({ field, options, chosen, onChange, isSingle = false }: Parts) {
  const words = options.filter(({ value }) => chosen.includes(value)).map(({ text }) => text)
  const toggle = (value: string) => {
    if (chosen.includes(value)) onChange(chosen.filter((other) => other !== value))
    else onChange(isSingle ? [value] : [...chosen, value])
  }
  const isOn = words.length > 0
  const isLong = options.length > searchedFrom
  const [part, setPart] = useState('')
  const found = options.filter(({ text }) => text.toLowerCase().includes(part.trim().toLowerCase()))
  return (
    <span className={isOn ? 'chip' : 'chip dashed'}>
      <Menu position="bottom-start" closeOnItemClick={isSingle} withinPortal={false} onClose={() => setPart('')}>
        <Menu.Target>
          <button type="button" className="chip-button" data-filter>
            <span className="chip-field">
              {!isOn && <Icon name="filter" size={14} />}
              {!isOn && <span className="hidden">Filter by </span>}
              {field}
            </span>
            {isOn && <span className="medium chip-value">{words.join(', ')}</span>}
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {isLong && (
            <TextInput
              className="chip-search"
              aria-label={`Search ${field}`}
              placeholder="Search"
              value={part}
              onChange={(event) => setPart(event.currentTarget.value)}
            />
          )}
          {found.length === 0 && <p className="secondary chip-none">No match.</p>}
          {found.map(({ value, text }) => (
            <Menu.CheckboxItem
              key={value}
              checked={chosen.includes(value)}
              onChange={() => toggle(value)}
              closeMenuOnClick={isSingle}
            >
              {text}
            </Menu.CheckboxItem>
          ))}
        </Menu.Dropdown>
      </Menu>
      {isOn && (
        <button
          type="button"
          className="chip-remove"
          aria-label={`Remove the filter ${field}`}
          onClick={() => onChange([])}
        >
          <Icon name="close" size={14} />
        </button>
      )}
    </span>
  )
}
