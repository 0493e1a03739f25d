import { CopyButton } from '../components/copy-button.tsx'

/** Codes that are shown this once, to be copied or saved. */
export const RecoveryCodeList = ({ codes }: { codes: readonly string[] }) => (
  <>
    <ul className="codes" aria-label="Recovery codes">
      {codes.map((code) => (
        <li key={code}>{code}</li>
      ))}
    </ul>
    <span className="row">
      <CopyButton text={codes.join('\n')} label="all codes" />
      <a
        className="underlined"
        download="muster-recovery-codes.txt"
        href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join('\r\n')}\r\n`)}`}
      >
        Save as a file
      </a>
    </span>
  </>
)
