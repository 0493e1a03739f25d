import { CodeBlock } from '../components/code-block.tsx'

/** Where an identity provider leads people back to from signing out. */
export const SignOutAddress = ({ address }: { address: string }) => (
  <>
    <p className="small secondary">
      To sign people out there as well, enter this sign-out address (post-logout redirect URI) there too, exactly:
    </p>
    <CodeBlock text={address} label="Sign-out address" />
  </>
)
