import { Button, Modal } from '@mantine/core'
import type { RowCount } from '@muster/contract/pagination.ts'
import { skipToken, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Icon } from './icon.tsx'
import { Failure } from './notices.tsx'

type Parts = {
  /** The address of the file. */
  readonly file: string
  /** Counts its rows, where that is worth it. */
  readonly count?: () => Promise<RowCount>
  /** "The state is Blocked.": blank when nothing is left out. */
  readonly filterInWords: string
  readonly one: string
  readonly many: string
}

/** Says how many rows the file will have, then lets the browser fetch it: all pages of what the filter finds. */
export function ExportCsv(parts: Parts) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button variant="subtle" leftSection={<Icon name="download" size={14} />} onClick={() => setIsOpen(true)}>
        Export CSV
      </Button>
      {isOpen && <ExportDialog {...parts} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function ExportDialog({ file, count: countRows, filterInWords, one, many, onClose }: Parts & { onClose: () => void }) {
  const count = useQuery({
    queryKey: ['export', file],
    gcTime: 0,
    queryFn: countRows ?? skipToken,
  })
  const rows = count.data?.count
  const size = rows === undefined ? '' : rows === 1 ? `1 ${one}` : `${rows.toLocaleString('en')} ${many}`
  return (
    <Modal opened onClose={onClose} title={`Export ${many} as CSV`} withCloseButton={false}>
      <div className="confirm">
        {count.isError && (
          <Failure what="The rows could not be counted." error={count.error} onRetry={() => void count.refetch()} />
        )}
        <p>
          {countRows === undefined
            ? 'The file contains every page of the list.'
            : rows === undefined
              ? 'Counting…'
              : `The file contains ${size}.`}{' '}
          {filterInWords === '' ? 'Nothing is left out.' : filterInWords}
        </p>
        <p className="secondary small">The export is recorded in the audit log.</p>
        <div className="dialog-ends">
          <Button onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button component="a" variant="filled" href={file} download onClick={() => setTimeout(onClose, 100)}>
            {rows === undefined ? 'Export' : `Export ${size}`}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
