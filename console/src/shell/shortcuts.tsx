import { Modal } from '@mantine/core'
import { developerEntries, mainEntries } from './entries.ts'

const others: readonly (readonly [string, string])[] = [
  ['Ctrl K', 'Find a record or jump to a page'],
  ['/', 'Search this list'],
  ['J', 'Next row'],
  ['K', 'Row before'],
  ['Enter', 'Open the row'],
  ['R', 'Refresh the checks of a device'],
  ['Esc', 'Close, or clear the choice'],
  ['?', 'This list'],
]

export const Shortcuts = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => (
  <Modal opened={isOpen} onClose={onClose} title="Keyboard shortcuts" closeButtonProps={{ 'aria-label': 'Close' }}>
    <dl className="kv keys">
      {[...mainEntries, ...developerEntries].flatMap(({ to, text, letter }) =>
        letter === undefined ? (
          []
        ) : (
          <div className="pair" key={to}>
            <dt>
              <kbd>G</kbd> then <kbd>{letter.toUpperCase()}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ),
      )}
      {others.map(([letter, text]) => (
        <div className="pair" key={letter}>
          <dt>
            <kbd>{letter}</kbd>
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  </Modal>
)
