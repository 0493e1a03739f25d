import { Button, Modal } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { devicesInWords } from '../components/devices-in-words.ts'
import { visibleText } from '../components/visible-text.ts'
import type { Account } from './in-steps.ts'

type Parts = {
  readonly title: string
  readonly account: Account
  /** "Back to the list". */
  readonly close: string
  readonly onClose: () => void
}

/** What was refused and why, and what it did not come to. */
export function AccountDialog({ title, account, close, onClose }: Parts) {
  const { refused, ended } = account
  return (
    <Modal opened onClose={onClose} title={title} withCloseButton={false}>
      <div className="confirm">
        {ended === 'stopped' && <p className="secondary">Stopped; the rest of them stay as they were.</p>}
        {ended instanceof Error && (
          <p role="alert">It did not come to the end; the rest of them stay as they were. {ended.message}</p>
        )}
        {refused.length > 0 && (
          <section aria-labelledby="refused">
            <h3 id="refused">{devicesInWords(refused.length)} refused</h3>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
            <ul className="refusals" tabIndex={0}>
              {refused.map(({ device_id: id, device_name: name, reason }) => (
                <li key={id} className="line">
                  <span className="grow">
                    {name === null ? (
                      `Device ${id}`
                    ) : (
                      <Link className="underlined" to="/devices/$deviceId" params={{ deviceId: id }}>
                        {visibleText(name)}
                      </Link>
                    )}
                    <span className="block small secondary">{reason}</span>
                  </span>
                </li>
              ))}
            </ul>
          </section>
        )}
        <div className="dialog-ends">
          <Button onClick={onClose} data-autofocus>
            {close}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
