import { Modal } from '@mantine/core'
import type { FindAnswer } from '@muster/contract/console-find.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { request, withQuery } from '../api/request.ts'
import { useSession } from '../api/session.ts'
import { Icon, type IconName } from '../components/icon.tsx'
import { visibleText } from '../components/visible-text.ts'
import { developerEntries, investigateEntries, mainEntries } from './entries.ts'
import { accountSections, settingSections } from './sections.ts'
import './find.css'

type Goal = {
  readonly key: string
  readonly icon: IconName
  readonly name: string
  readonly detail: string | null
  readonly href: string
}

const kinds = {
  device: ['device', '/console/devices/'],
  person: ['people', '/console/people/'],
  check: ['check', '/console/checks/'],
} as const satisfies Record<string, readonly [IconName, string]>

/** Finds a page or a record by its name; opened with ⌘K or Ctrl K. */
export function Find({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Modal.Root opened={isOpen} onClose={onClose} size={520} yOffset="12vh" lockScroll={false}>
      <Modal.Overlay />
      <Modal.Content aria-label="Find or jump to">
        <Finder onClose={onClose} />
      </Modal.Content>
    </Modal.Root>
  )
}

function Finder({ onClose }: { readonly onClose: () => void }) {
  const router = useRouter()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const { goals, isLooking } = useGoals(text)
  const open = (goal: Goal | undefined) => {
    if (!goal) return
    onClose()
    router.history.push(goal.href)
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
        placeholder="Find a device, person or check, or jump to a page"
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
            <span className="ell grow">{goal.name}</span>
            {goal.detail !== null && <span className="sm t3 ell">{goal.detail}</span>}
          </div>
        ))}
      </div>
      {goals.length === 0 && !isLooking && <p className="t2">No results.</p>}
    </div>
  )
}

/** Pages whose names have the text, then records; all pages as long as nothing is written. */
function useGoals(text: string): { goals: readonly Goal[]; isLooking: boolean } {
  const session = useSession()
  const [wanted, setWanted] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setWanted(text.trim()), 200)
    return () => clearTimeout(timer)
  }, [text])
  const isLong = wanted.length >= 2
  const found = useQuery({
    queryKey: ['find', wanted],
    enabled: isLong,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => request<FindAnswer>(withQuery('/views/find', { q: wanted }), { signal }),
  })
  const pages = [...mainEntries, ...investigateEntries, ...developerEntries]
    .filter(({ needs }) => needs === undefined || session?.permissions.includes(needs))
    .filter(({ text: name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
    .map(({ to, text: name, icon }) => ({ key: to, icon, name, detail: 'Page', href: `/console${to}` }))
  const sections = [...settingSections, ...accountSections]
    .filter(({ power }) => power === undefined || session?.permissions.includes(power))
    .filter(({ text: name }) => text.trim() !== '' && name.toLowerCase().includes(text.trim().toLowerCase()))
    .map(({ to, text: name }) => ({ key: to, icon: 'settings' as const, name, detail: 'Page', href: `/console${to}` }))
  const records = (isLong ? (found.data?.data ?? []) : []).map(({ kind, id, name, detail }) => {
    const [icon, path] = kinds[kind]
    const shown = detail === null ? null : visibleText(detail)
    return { key: `${kind}${id}`, icon, name: visibleText(name), detail: shown, href: path + id }
  })
  return {
    goals: [...pages, ...sections, ...records],
    isLooking: text.trim() !== wanted || (isLong && found.isPending),
  }
}
