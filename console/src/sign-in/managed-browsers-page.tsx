import { Button } from '@mantine/core'
import type { BrowserPolicy } from '@muster/contract/browser-policies.ts'
import type { ReactNode } from 'react'
import { readFile } from '../api/api.ts'
import { saveFile } from '../api/download.ts'
import { GuideLink } from '../components/guide-link.tsx'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { useAction } from '../components/use-action.ts'
import '../developers/developers.css'
import './sign-in.css'
import { SignInTabs } from './connection-tabs.tsx'

type Policy = { readonly file: BrowserPolicy; readonly title: string; readonly text: ReactNode }

const policies: readonly Policy[] = [
  {
    file: 'muster-chrome-edge-windows.reg',
    title: 'Chrome and Edge on Windows',
    text: (
      <>
        In Intune or a group policy set the same values, or run <code>reg import</code> with the file as an
        administrator. It uses entry 1 of each list: where you have a list already, add the address as its next entry.
      </>
    ),
  },
  {
    file: 'muster-chrome-edge.mobileconfig',
    title: 'Chrome and Edge on macOS',
    text: 'Upload it to your device management as a custom profile for devices. Opened by hand, it waits in System Settings to be approved.',
  },
  {
    file: 'muster-chrome-edge.json',
    title: 'Chrome, Edge and Chromium on Linux',
    text: (
      <>
        Place it in <code>/etc/opt/chrome/policies/managed</code>, <code>/etc/opt/edge/policies/managed</code> or{' '}
        <code>/etc/chromium/policies/managed</code>, owned by root.
      </>
    ),
  },
  {
    file: 'muster-firefox-policies.json',
    title: 'Firefox 150 and later',
    text: (
      <>
        Name it <code>policies.json</code>. On Linux it belongs in <code>/etc/firefox/policies</code>; on Windows in the
        folder <code>distribution</code> beside firefox.exe; on macOS in{' '}
        <code>Firefox.app/Contents/Resources/distribution</code>. Merge it into a file that is there.
      </>
    ),
  },
  {
    file: 'muster-uwp-loopback.ps1',
    title: 'Sign-in windows of Windows and Microsoft 365',
    text: 'They reach no program on their own computer until they are exempted. Run the script once on each computer, as an administrator or from Intune in the system context.',
  },
]

/** Files that let the page reach the Muster app on managed computers, for the organization's own address. */
export function ManagedBrowsersPage() {
  const download = useAction({
    act: async (file: BrowserPolicy) =>
      saveFile(await readFile('downloadBrowserPolicy', { params: { fileName: file } }), file),
  })
  return (
    <Page title="Sign-in">
      <SignInTabs />
      <div className="page form-page">
        <section className="form-section">
          <h2>Managed browsers</h2>
          <p className="secondary">
            Chrome, Edge and Firefox ask once before the sign-in page may reach the Muster app. On managed computers
            allow it beforehand: the files name your organization’s address and nothing else. Then turn on “Browsers are
            managed” in the settings of a connection. <GuideLink name="sign-in-managed-browsers">Learn more</GuideLink>
          </p>
          <div>
            {policies.map(({ file, title, text }) => (
              <div key={file} className="policy">
                <div className="row">
                  <span className="medium grow">{title}</span>
                  <Button
                    aria-label={`Download ${file}`}
                    leftSection={<Icon name="download" size={14} />}
                    loading={download.isPending && download.variables === file}
                    onClick={() => download.mutate(file)}
                  >
                    Download
                  </Button>
                </div>
                <div className="small secondary">{text}</div>
                <code className="small secondary">{file}</code>
              </div>
            ))}
          </div>
        </section>
      </div>
    </Page>
  )
}
