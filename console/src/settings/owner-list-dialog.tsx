import { maxRegisteredAtOnce } from '@muster/contract/console-values.ts'
import type { OwnerListLine, OwnerListPreview } from '@muster/contract/owner-lists.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { devicesInWords } from '../components/devices-in-words.ts'
import { visibleText } from '../components/visible-text.ts'
import type { Account } from '../devices/in-steps.ts'
import { registerDevices } from '../devices/register-devices.ts'
import { useSteps } from '../devices/use-steps.tsx'

type Parts = { readonly preview: OwnerListPreview; readonly onClose: () => void }

const linesShown = 500
const linesInWords = (count: number): string => (count === 1 ? '1 line' : `${count.toLocaleString('en')} lines`)
const endOf = ({ done }: Account): string => `${devicesInWords(done)} ${done === 1 ? 'has its' : 'have their'} owner`

/** What each line does, then how far it is, then what was refused. */
export function OwnerListDialog({ preview, onClose }: Parts) {
  const { lines } = preview
  const wanted = lines.flatMap(({ outcome, device, person }) =>
    device && person && (outcome === 'new' || outcome === 'replaced')
      ? [{ device_id: device.id, person_id: person.id }]
      : [],
  )
  const { account, progress, ends } = useSteps({
    total: wanted.length,
    begin: () => ({
      batches: Array.from({ length: Math.ceil(wanted.length / maxRegisteredAtOnce) }, (_, index) =>
        wanted.slice(index * maxRegisteredAtOnce, (index + 1) * maxRegisteredAtOnce),
      ),
      step: registerDevices,
    }),
    endOf,
    close: 'Close',
    onClose,
    onDone: onClose,
  })
  if (account) return account
  const count = (outcome: OwnerListLine['outcome']) => lines.filter((line) => line.outcome === outcome).length
  const [replaced, unchanged, refused] = [count('replaced'), count('unchanged'), count('refused')]
  return (
    <ConfirmDialog
      isOpen
      {...ends}
      question={
        wanted.length === 0 ? 'This list assigns no owners' : `Assign owners to ${devicesInWords(wanted.length)}?`
      }
      isDangerous={replaced > 0}
      consequences={[
        ...(replaced > 0
          ? [`${devicesInWords(replaced)} of someone else ${replaced === 1 ? 'changes its' : 'change their'} owner.`]
          : []),
        ...(refused > 0 ? [`${linesInWords(refused)} ${refused === 1 ? 'is' : 'are'} refused.`] : []),
        ...(wanted.length > 0
          ? ['What fails counts from now: some checks block at once, others after their grace period.']
          : []),
      ]}
      {...(unchanged > 0 && {
        stays: `${devicesInWords(unchanged)} ${unchanged === 1 ? 'has its' : 'have their'} owner already.`,
      })}
      verb={`Assign ${wanted.length.toLocaleString('en')} ${wanted.length === 1 ? 'owner' : 'owners'}`}
      isReady={wanted.length > 0}
    >
      <ReadAs preview={preview} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ul className="refusals" tabIndex={0} aria-label="Lines of the list">
        {sorted(lines)
          .slice(0, linesShown)
          .map((line) => (
            <li key={line.line} className="line">
              <span className="grow">
                {wordsOf(line)}
                <span className="block small secondary">{detailOf(line)}</span>
              </span>
            </li>
          ))}
      </ul>
      {lines.length > linesShown && (
        <p className="secondary small">
          The first {linesShown} of {linesInWords(lines.length)}.
        </p>
      )}
      {progress}
    </ConfirmDialog>
  )
}

/** Which columns count, and how the list was read. */
function ReadAs({ preview }: { readonly preview: OwnerListPreview }) {
  const { columns, names_line: namesLine, separator } = preview
  const namesOf = (kind: 'device' | 'owner') =>
    columns.flatMap(({ name, means }) => (means === kind ? [visibleText(name)] : [])).join(', ')
  return (
    <dl className="facts-table" aria-label="How the list was read">
      <dt>Devices</dt>
      <dd>{namesOf('device') || 'one of two columns'}</dd>
      <dt>Owners</dt>
      <dd>{namesOf('owner') || 'the column with e-mail addresses'}</dd>
      <dt>Names of columns</dt>
      <dd>{namesLine === null ? 'none' : `line ${namesLine}`}</dd>
      <dt>Separator</dt>
      <dd>{separator}</dd>
    </dl>
  )
}

const urgency = { refused: 0, replaced: 1, new: 2, unchanged: 3 } as const

/** What someone has to look at first. */
const sorted = (lines: OwnerListPreview['lines']) =>
  lines.toSorted((one, two) => urgency[one.outcome] - urgency[two.outcome])

function wordsOf({ line, device, cells, outcome, person }: OwnerListLine): string {
  if (cells.length === 0) return `Line ${line}`
  const textOf = (kind: 'device' | 'owner') => visibleText(cells.find(({ means }) => means === kind)?.text ?? '—')
  const what = device ? visibleText(device.name) : textOf('device')
  return outcome === 'refused' ? `${what}, ${textOf('owner')}` : `${what} → ${visibleText(person?.name ?? '')}`
}

function detailOf({ line, cells, outcome, reason, owner }: OwnerListLine): string {
  const read = cells.map(({ column, text }) => visibleText(column === null ? text : `${column} ${text}`)).join(', ')
  const what = visibleText(reason ?? (outcome === 'unchanged' ? 'Registered already.' : ''))
  const instead = outcome === 'replaced' && owner ? `Instead of ${visibleText(owner.name)}.` : ''
  return [read === '' ? '' : `Line ${line}: ${read}.`, what, instead].filter((part) => part !== '').join(' ')
}
