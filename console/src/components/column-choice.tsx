import { Button, Popover } from '@mantine/core'
import { Icon } from './icon.tsx'
import './column-choice.css'

type Parts<Name extends string> = {
  readonly words: Readonly<Record<Name, string>>
  /** In the order that they come in. */
  readonly all: readonly Name[]
  readonly shown: readonly Name[]
  /** Null: as they come. */
  readonly onChange: (shown: readonly Name[] | null) => void
}

/** Hides columns and moves them; each change is kept at once. */
export function ColumnChoice<Name extends string>({ words, all, shown, onChange }: Parts<Name>) {
  const hidden = all.filter((name) => !shown.includes(name))
  const isAsItComes = hidden.length === 0 && all.every((name, index) => shown[index] === name)
  const move = (name: Name, step: 1 | -1) => {
    const place = shown.indexOf(name)
    const other = shown[place + step]
    if (other === undefined) return
    onChange(shown.map((one) => (one === name ? other : one === other ? name : one)))
  }
  const toggle = (name: Name) =>
    onChange(shown.includes(name) ? shown.filter((other) => other !== name) : [...shown, name])
  return (
    <Popover position="bottom-end" width={240} withinPortal={false} trapFocus returnFocus>
      <Popover.Target>
        <button type="button" className="plain secondary columns-button">
          <Icon name="columns" size={14} />
          Columns
        </button>
      </Popover.Target>
      <Popover.Dropdown className="column-choice" aria-label="Columns">
        <ul>
          {[...shown, ...hidden].map((name) => (
            <li key={name}>
              <label className="grow">
                <input type="checkbox" checked={shown.includes(name)} onChange={() => toggle(name)} />
                {words[name]}
              </label>
              {shown.includes(name) && (
                <>
                  <Mover name={words[name]} isUp isOff={shown[0] === name} onMove={() => move(name, -1)} />
                  <Mover name={words[name]} isOff={shown.at(-1) === name} onMove={() => move(name, 1)} />
                </>
              )}
            </li>
          ))}
        </ul>
        <Button variant="subtle" disabled={isAsItComes} onClick={() => onChange(null)}>
          As they come
        </Button>
      </Popover.Dropdown>
    </Popover>
  )
}

type MoverParts = {
  readonly name: string
  readonly isUp?: boolean
  readonly isOff: boolean
  readonly onMove: () => void
}

/** Stays in the order of tabs where it does nothing, so that the focus is not lost at an end. */
const Mover = ({ name, isUp = false, isOff, onMove }: MoverParts) => (
  <button
    type="button"
    className="copy"
    aria-label={`Move ${name} ${isUp ? 'forward' : 'back'}`}
    aria-disabled={isOff}
    onClick={onMove}
  >
    <Icon name={isUp ? 'chevronUp' : 'chevronDown'} size={14} />
  </button>
)
