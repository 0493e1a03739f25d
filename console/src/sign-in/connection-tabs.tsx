import '../components/list-body.css'
import { Link } from '@tanstack/react-router'
import { asTab, Tabs } from '../components/tabs.tsx'

export const SignInTabs = () => (
  <div className="tabs-bar">
    <Tabs label="Sign-in">
      <Link to="/connections" {...asTab}>
        Connections
      </Link>
      <Link to="/connections/upstreams" {...asTab}>
        Identity providers
      </Link>
      <Link to="/connections/keys" {...asTab}>
        Keys
      </Link>
      <Link to="/connections/browsers" {...asTab}>
        Managed browsers
      </Link>
    </Tabs>
  </div>
)
