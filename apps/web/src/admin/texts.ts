import type { Locale } from '@solstice/contracts'

const uk = {
  language: 'Мова',
  login: {
    title: 'Вхід до студії',
    login: 'Логін',
    password: 'Пароль',
    show: 'Показати',
    enter: 'Увійти',
    unreachable: 'Станція не відповідає. Спробуйте ще раз.',
    loggedOut: {
      admin_deleted: 'Цього облікового запису більше немає.',
      password_reset: 'Пароль скинуто. Увійдіть із новим.',
      expired: 'Сеанс завершився. Увійдіть знову.',
    },
  },
  panel: 'Панель станції',
  logOut: 'Вийти',
  connecting: 'З’єднуємося зі станцією…',
  offline: 'Немає зв’язку. Панель під’єднається автоматично.',
  detached: 'Панель відкрито в надто багатьох вікнах, тож це від’єднано.',
  attach: 'Працювати тут',
  day: 'день',
  night: 'ніч',
  chatting: 'Просто розмова',
  preparing: 'Готуємо програму',
  next: 'Далі',
}

const en: typeof uk = {
  language: 'Language',
  login: {
    title: 'Studio login',
    login: 'Login',
    password: 'Password',
    show: 'Show',
    enter: 'Log in',
    unreachable: 'The station isn’t responding. Please try again.',
    loggedOut: {
      admin_deleted: 'This account no longer exists.',
      password_reset: 'Your password was reset. Please log in with the new one.',
      expired: 'Your session has expired. Please log in again.',
    },
  },
  panel: 'Station panel',
  logOut: 'Log out',
  connecting: 'Connecting to the station…',
  offline: 'No connection. The panel will reconnect automatically.',
  detached: 'The panel is open in too many windows, so this one was disconnected.',
  attach: 'Use this window',
  day: 'day',
  night: 'night',
  chatting: 'Just chatting',
  preparing: 'Preparing the programme',
  next: 'Next',
}

export const adminTexts: Record<Locale, typeof uk> = { uk, en }
export type AdminTexts = typeof uk
