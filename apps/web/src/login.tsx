import { LoginPage } from './admin/login-page.tsx'
import { openPage } from './app.tsx'

openPage(LoginPage)
