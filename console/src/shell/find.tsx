import { Modal } from '@mantine/core'
import type { AdminPower } from '@muster/contract/admin-powers.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { query } from '../api/query.ts'
import { useSession } from '../api/session.ts'
import { Icon, type IconName } from '../components/icon.tsx'
import { visibleText } from '../components/visible-text.ts'
import { commandsFor } from './commands.ts'
import { developerEntries, investigateEntries, mainEntries } from './entries.ts'
import { accountSections, settingSections } from './sections.ts'
import './find.css'

type Parts = { readonly isOpen: boolean; readonly onClose: () => void; readonly onShortcuts: () => void }

type Goal = {
  readonly key: string
  readonly icon: IconName
  readonly name: string
  readonly detail: string | null
} & ({ readonly href: string } | { readonly run: () => void })

const kinds = {
  device: ['device', '/console/devices/'],
  person: ['people', '/console/people/'],
  check: ['check', '/console/checks/'],
} as const satisfies Record<string, readonly [IconName, string]>

/** Finds a page, a record or a command by its name; opened with ⌘K or Ctrl K. */
export function Find({ isOpen, onClose, onShortcuts }: Parts) {
  return (
    <Modal.Root opened={isOpen} onClose={onClose} size={520} yOffset="12vh" lockScroll={false}>
      <Modal.Overlay />
      <Modal.Content aria-label="Find or jump to">
        <Finder onClose={onClose} onShortcuts={onShortcuts} />
      </Modal.Content>
    </Modal.Root>
  )
}

function Finder({ onClose, onShortcuts }: Omit<Parts, 'isOpen'>) {
  const router = useRouter()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const { goals, isLooking } = useGoals(text, onShortcuts)
  const open = (goal: Goal | undefined) => {
    if (!goal) return
    onClose()
    if ('run' in goal) goal.run()
    else router.history.push(goal.href)
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && goals.length > 0) setChosen((chosen + step + goals.length) % goals.length)
    else if (event.key === 'Enter') open(goals[chosen])
    else return
    event.preventDefault()
  }
  const optionOf = (index: number) => `find-${index}`
  return (
    <div className="finder">
      <input
        role="combobox"
        aria-label="Find or jump to"
        aria-expanded={goals.length > 0}
        aria-controls="find-list"
        aria-activedescendant={goals[chosen] && optionOf(chosen)}
        placeholder="Find a person, device, check, page or command"
        autoComplete="off"
        maxLength={200}
        data-autofocus
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={press}
      />
      <div id="find-list" role="listbox" aria-label="Found" className="found">
        {goals.map((goal, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys of its list
          <div
            key={goal.key}
            id={optionOf(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onPointerMove={() => setChosen(index)}
            onClick={() => open(goal)}
          >
            <Icon name={goal.icon} />
            <span className="ellipsis grow">{goal.name}</span>
            {goal.detail !== null && <span className="small faint ellipsis">{goal.detail}</span>}
          </div>
        ))}
      </div>
      {goals.length === 0 && !isLooking && <p className="secondary">No results.</p>}
    </div>
  )
}

const hasWords = (text: string, typed: string): boolean =>
  typed.split(/\s+/).every((word) => text.toLowerCase().includes(word))

/** Pages and commands whose names have the text, then records; all pages while nothing is written. */
function useGoals(text: string, showShortcuts: () => void): { goals: readonly Goal[]; isLooking: boolean } {
  const session = useSession()
  const [wanted, setWanted] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setWanted(text.trim()), 200)
    return () => clearTimeout(timer)
  }, [text])
  const isLong = wanted.length >= 2
  const found = useQuery(
    query('findByName', { query: { q: wanted } }, { enabled: isLong, placeholderData: keepPreviousData }),
  )
  const typed = text.trim().toLowerCase()
  const may = (power: AdminPower | undefined) => power === undefined || session?.permissions.includes(power) === true
  const pages = [...mainEntries, ...investigateEntries, ...developerEntries]
    .filter(({ needs, text: name }) => may(needs) && name.toLowerCase().includes(typed))
    .map(({ to, text: name, icon }) => ({ key: to, icon, name, detail: 'Page', href: `/console${to}` }))
  const sections = [...settingSections, ...accountSections]
    .filter(({ power, text: name }) => typed !== '' && may(power) && name.toLowerCase().includes(typed))
    .map(({ to, text: name }) => ({ key: to, icon: 'settings' as const, name, detail: 'Page', href: `/console${to}` }))
  const commands = commandsFor(showShortcuts)
    .filter(({ needs, text: name, words }) => typed !== '' && may(needs) && hasWords(`${name} ${words}`, typed))
    .map((command) => ({
      ...{ key: command.text, icon: command.icon, name: command.text, detail: 'Command' },
      ...('run' in command ? { run: command.run } : { href: command.to }),
    }))
  const records = (isLong ? (found.data?.data ?? []) : []).map(({ kind, id, name, detail }) => {
    const [icon, path] = kinds[kind]
    const shown = detail === null ? null : visibleText(detail)
    return { key: `${kind}${id}`, icon, name: visibleText(name), detail: shown, href: path + id }
  })
  return {
    goals: [...pages, ...sections, ...commands, ...records],
    isLooking: text.trim() !== wanted || (isLong && found.isPending),
  }
}
