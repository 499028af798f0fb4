@echo off
rem SPDX-License-Identifier: MIT
rem install.cmd [/q] [WIRESHARK'S FOLDER]
rem Copies the plugin and the profile Godot to where Wireshark looks for yours. Nothing else is changed, and it needs no
rem administrator. With /q it does not wait for a key.
setlocal
set quiet=
if /i "%~1"=="/q" set quiet=yes
if defined quiet shift
set "wireshark=%~1"
set release=
for /f "delims=" %%d in ('dir /b /ad "%~dp0plugins" 2^>nul') do set release=%%d
if not defined release (
  echo Unpack the zip first: there is no folder "plugins" beside install.cmd.
  goto failed
)

rem The release of the Wireshark that is here: from the folder named, from what its installer wrote, from its usual folder.
set installed=
if defined wireshark goto folder
set uninstall=Microsoft\Windows\CurrentVersion\Uninstall\Wireshark
for %%k in ("HKLM\SOFTWARE\%uninstall%" "HKLM\SOFTWARE\WOW6432Node\%uninstall%") do (
  for /f "tokens=1-3" %%a in ('reg query %%k /v DisplayVersion 2^>nul') do if /i "%%a"=="DisplayVersion" set installed=%%c
)
if defined installed for /f "tokens=1,2 delims=." %%a in ("%installed%") do set installed=%%a.%%b
if defined installed goto found
set "wireshark=%ProgramFiles%\Wireshark"
:folder
for /f "delims=" %%d in ('dir /b /ad "%wireshark%\plugins" 2^>nul') do set installed=%%d
if exist "%wireshark%\plugins\%release%" set installed=%release%
:found
if not defined installed (
  echo No Wireshark was found. The plugin is for Wireshark %release%: "Help - About Wireshark" tells yours.
  echo If it is elsewhere: install.cmd "C:\folder\of\Wireshark"
) else if not "%installed%"=="%release%" (
  echo You have Wireshark %installed%, and this plugin is for %release%: take the zip whose name ends with wireshark-%installed%.
  goto failed
) else (
  echo Wireshark %installed% was found.
)

set "own=%APPDATA%\Wireshark"
if defined WIRESHARK_APPDATA set "own=%WIRESHARK_APPDATA%"
set "to=%own%\plugins\%release%\epan"
if not exist "%to%" mkdir "%to%"
copy /y "%~dp0plugins\%release%\epan\godot.dll" "%to%\godot.dll" >nul
if errorlevel 1 (
  echo Cannot write "%to%\godot.dll". Is Wireshark running? Close it, and try again.
  goto failed
)
echo Copied the plugin: "%to%\godot.dll"
set "to=%own%\profiles\Godot"
if exist "%to%" (
  echo Left your profile Godot as it is: "%to%"
) else (
  mkdir "%to%"
  copy /y "%~dp0profiles\Godot\*" "%to%" >nul
  echo Copied the profile: "%to%"
)
echo Start Wireshark anew: "Help - About Wireshark - Plugins" lists godot.dll. uninstall.cmd takes both away.
if not defined quiet pause
exit /b 0

:failed
echo Nothing was installed.
if not defined quiet pause
exit /b 1
