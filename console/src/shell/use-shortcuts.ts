import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { developerEntries, mainEntries } from './entries.ts'
import { areLettersOn } from './letters.ts'

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Single letters, never in a field: `/`, `G` then a letter, `J` and `K` along the rows, `?`. */
export function useShortcuts(showHelp: () => void): void {
  const navigate = useNavigate()
  // Kept beyond the effect, which begins anew whenever the shell is drawn.
  const goingUntil = useRef(0)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (!areLettersOn() || document.querySelector('[role="dialog"]')) return
      const key = event.key.toLowerCase()
      const entry =
        event.timeStamp < goingUntil.current
          ? [...mainEntries, ...developerEntries].find(({ letter }) => letter === key)
          : undefined
      goingUntil.current = key === 'g' ? event.timeStamp + 1_500 : 0
      if (entry) void navigate({ to: entry.to })
      else if (key === '/') document.querySelector<HTMLInputElement>('[data-search]')?.focus()
      else if (key === '?') showHelp()
      else if (key === 'j') moveAlongRows(1)
      else if (key === 'k') moveAlongRows(-1)
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [navigate, showHelp])
}

/** ⌘K or Ctrl K, in a field as well. */
export function useFindKey(find: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return
      if (document.querySelector('[role="dialog"]')) return
      event.preventDefault()
      find()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [find])
}

function moveAlongRows(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('[data-row-link]')]
  const focused = document.activeElement
  const here = focused instanceof HTMLElement ? links.indexOf(focused) : -1
  links[here === -1 ? 0 : Math.min(Math.max(here + step, 0), links.length - 1)]?.focus()
}
