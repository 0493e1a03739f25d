import { CodeBlock } from './code-block.tsx'
import './secret-once.css'

/** A secret that the server does not show again. */
export const SecretOnce = ({ label, secret, after }: { label: string; secret: string; after: string }) => (
  <div className="secret-once" role="status">
    <b className="medium">{label}</b>
    <CodeBlock text={secret} label={label} />
    <p className="small secondary">{after}</p>
  </div>
)
