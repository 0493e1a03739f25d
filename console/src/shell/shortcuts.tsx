import { Modal } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { usePreferences } from '../components/preferences.ts'
import { developerEntries, mainEntries } from './entries.ts'
import { useRecordId } from './use-shortcuts.ts'

type Key = { readonly keys: ReactNode; readonly does: string }

/** Pressed after each other. */
const then = (letter: string) => (
  <>
    <kbd>G</kbd> then <kbd>{letter}</kbd>
  </>
)

const has = (selector: string): boolean => document.querySelector(selector) !== null

/** What the page behind the list has keys for, as it stands. */
function keysOfPage(recordId: string | undefined): readonly Key[] {
  const known: readonly (readonly [boolean, string, string])[] = [
    [has('[data-search]'), '/', 'Search this list'],
    [has('[data-filter]'), 'F', 'Open the first filter, then the next'],
    [has('[data-row-link]'), 'J', 'Next row'],
    [has('[data-row-link]'), 'K', 'Previous row'],
    [has('[data-row-link]'), 'Enter', 'Open the row'],
    [has('td input[type="checkbox"], .request-choice'), 'X', 'Select the row'],
    [has('[data-press="a"]'), 'A', 'Approve'],
    [has('[data-press="d"]'), 'D', 'Deny'],
    [has('[data-press="r"]'), 'R', 'Run failing checks again'],
    [has('[data-press="["]'), '[', 'Previous record in the list'],
    [has('[data-press="]"]'), ']', 'Next record in the list'],
    [recordId !== undefined, 'C', 'Copy the ID of this record'],
  ]
  return known.flatMap(([isThere, key, does]) => (isThere ? [{ keys: <kbd>{key}</kbd>, does }] : []))
}

const command = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'

const commands: readonly Key[] = [
  { keys: <kbd>{command} K</kbd>, does: 'Find a record or jump to a page' },
  { keys: <kbd>{command} Enter</kbd>, does: 'Submit what you are writing' },
  { keys: <kbd>Esc</kbd>, does: 'Close, or clear the selection' },
]

const goings: readonly Key[] = [...mainEntries, ...developerEntries].flatMap(({ text, letter }) =>
  letter === undefined ? [] : [{ keys: then(letter.toUpperCase()), does: text }],
)

/** What works here and now, and nothing else. */
export const Shortcuts = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => (
  <Modal opened={isOpen} onClose={onClose} title="Keyboard shortcuts" closeButtonProps={{ 'aria-label': 'Close' }}>
    <Lists onClose={onClose} />
  </Modal>
)

function Lists({ onClose }: { readonly onClose: () => void }) {
  const { single_keys: areOn } = usePreferences()
  const ofPage = keysOfPage(useRecordId()())
  return (
    <div className="key-lists">
      {areOn && ofPage.length > 0 && <Keys title="On this page" keys={ofPage} />}
      <Keys title="Everywhere" keys={areOn ? [...commands, { keys: <kbd>?</kbd>, does: 'This list' }] : commands} />
      {areOn && <Keys title="Go to" keys={goings} />}
      <p className="secondary small">
        {areOn ? 'Shortcuts are off while you type. ' : 'Single-key shortcuts are off. '}
        <Link className="underlined" to="/account/preferences" onClick={onClose}>
          {areOn ? 'Turn them off' : 'Turn them on'}
        </Link>
      </p>
    </div>
  )
}

const Keys = ({ title, keys }: { readonly title: string; readonly keys: readonly Key[] }) => (
  <section>
    <h3>{title}</h3>
    <dl className="facts keys">
      {keys.map(({ keys: shown, does }) => (
        <div className="pair" key={does}>
          <dt>{shown}</dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  </section>
)
