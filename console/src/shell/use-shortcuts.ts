import { useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { copyText } from '../components/copy-text.ts'
import { areLettersOn } from '../components/preferences.ts'
import { developerEntries, mainEntries } from './entries.ts'

/** In a checkbox no letter is typed. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(TEXTAREA|SELECT)$/.test(target.tagName) ||
    (target instanceof HTMLInputElement && !/^(checkbox|radio|button)$/.test(target.type)))

/** A dialog has keys of its own; what is chosen beside it would be chosen blindly. */
const hasDialog = (): boolean => document.querySelector('[role="dialog"]') !== null

/** The record that the page is about, by the last identifier in its address. */
export function useRecordId(): () => string | undefined {
  const router = useRouter()
  return () => Object.values<string | undefined>(router.state.matches.at(-1)?.params ?? {}).at(-1)
}

/** Single letters, never in a field: `G` then a letter goes to a page; the others do what the page has for them. */
export function useShortcuts(showHelp: () => void): void {
  const navigate = useNavigate()
  const recordId = useRecordId()
  // Kept beyond the effect, which begins again whenever the shell is drawn.
  const goingUntil = useRef(0)
  useEffect(() => {
    const acts: Readonly<Record<string, () => void>> = {
      '/': () => document.querySelector<HTMLInputElement>('[data-search]')?.focus(),
      '?': showHelp,
      j: () => moveAlongRows(1),
      k: () => moveAlongRows(-1),
      x: chooseRow,
      f: openNextFilter,
      c: () => {
        const id = recordId()
        if (id !== undefined) void copyText(id, `The identifier ${id}`)
      },
    }
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (!areLettersOn() || hasDialog()) return
      const key = event.key.toLowerCase()
      const entry =
        event.timeStamp < goingUntil.current
          ? [...mainEntries, ...developerEntries].find(({ letter }) => letter === key)
          : undefined
      goingUntil.current = key === 'g' ? event.timeStamp + 1_500 : 0
      const button = /^[a-z[\]]$/.test(key) ? buttonFor(key) : null
      if (entry) void navigate({ to: entry.to })
      else if (button) button.click()
      else if (acts[key]) acts[key]()
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [navigate, recordId, showHelp])
}

/** ⌘K or Ctrl K finds; ⌘Enter or Ctrl Enter submits what is being written. In a field as well, letters or not. */
export function useCommandKeys(find: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey)) return
      if (event.key === 'Enter') submit(event)
      if (event.key.toLowerCase() !== 'k' || hasDialog()) return
      event.preventDefault()
      find()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [find])
}

function submit(event: KeyboardEvent): void {
  const form = event.target instanceof Element ? event.target.closest('form') : null
  const button = hasDialog() ? null : document.querySelector<HTMLButtonElement>('[data-submit]:not(:disabled)')
  if (form) form.requestSubmit()
  else if (button) button.click()
  else return
  event.preventDefault()
}

/** Of the row that the focus is in, or the first of the page. */
function buttonFor(key: string): HTMLElement | null {
  const selector = `[data-press="${key}"]`
  const row = document.activeElement?.closest('[data-row]')
  return row?.querySelector<HTMLElement>(selector) ?? document.querySelector<HTMLElement>(selector)
}

function moveAlongRows(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('[data-row-link]')]
  const row = document.activeElement?.closest('tr, [data-row]')
  const here = row ? links.findIndex((link) => row.contains(link)) : -1
  links[here === -1 ? 0 : Math.min(Math.max(here + step, 0), links.length - 1)]?.focus()
}

/** The row that the focus is in. */
function chooseRow(): void {
  const row = document.activeElement?.closest('tr, [data-row]')
  row?.querySelector<HTMLElement>('td input[type="checkbox"], .request-choice')?.click()
}

/** The values of the first filter; from an open one, those of the next. */
function openNextFilter(): void {
  const chips = [...document.querySelectorAll<HTMLElement>('[data-filter]')]
  const open = chips.findIndex((chip) => chip.getAttribute('aria-expanded') === 'true')
  chips[open]?.click()
  const next = chips[(open + 1) % chips.length]
  next?.focus()
  next?.click()
}

/** The whole row leads where its link does, for the pointer; the link is the one stop of the keyboard. */
export function useWholeRows(): void {
  useEffect(() => {
    const click = (event: MouseEvent) => {
      if (event.defaultPrevented || event.button !== 0 || !(event.target instanceof Element)) return
      const row = event.target.closest('tr')
      const link = row?.querySelector<HTMLElement>('[data-row-link]')
      if (!link || event.target.closest('a, button, input, label, select, time, [role="menu"]')) return
      if (getSelection()?.isCollapsed === false) return
      const { ctrlKey, metaKey, shiftKey } = event
      link.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }))
    }
    document.addEventListener('click', click)
    return () => document.removeEventListener('click', click)
  }, [])
}
