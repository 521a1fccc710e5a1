//! `pom.xml` and `go.mod`.

use super::check;

#[test]
fn what_go_is_told_is_found() {
    check(
        "go.mod",
        &[
            ("", Ok(&[])),
            ("module a\n\ngo 1.22\ntoolchain go1.22.1", Ok(&[])),
            ("module a\nrequire b.c/d v1.9.1", Ok(&["2: b.c/d v1.9.1"])),
            (
                "require (\n\ta v1.2.3\n\n\t// b v1\n\tc/v2 v2.0.0-1-x // indirect\n)\nrequire d v0.1.0",
                Ok(&["2: a v1.2.3", "5: c/v2 v2.0.0-1-x", "7: d v0.1.0"]),
            ),
            ("require(\na v1\n)", Ok(&["2: a v1"])),
            ("require \"a\" v1\nrequire `b` v2", Ok(&["1: a v1", "2: b v2"])),
            (
                "replace a => b v1\nexclude c v1\nretract v1\ntool d\nreplace (\ne v1 => ../e\n)\n\
                 exclude (\nf v1\n)\ntool (\ng\n)",
                Ok(&[]),
            ),
            ("require ()\n// require a v1", Ok(&[])),
            ("\u{feff}module a\r\nrequire (\r\n\tb v1\r\n)\r\n", Ok(&["3: b v1"])),
            ("required a v1", Ok(&[])),
            ("module a\nrequire b", Err("line 2: `b` should be a module and its version")),
            ("require (\na v1\nb v1 c\n)", Err("line 3: `b v1 c` should be a module")),
            ("module a\nrequire (\nb v1", Err("line 2: `require (` should be closed")),
        ],
    );
}

#[test]
fn what_maven_is_told_is_found() {
    check(
        "pom.xml",
        &[
            ("<project/>", Ok(&[])),
            (
                "<project><groupId>x</groupId><artifactId>y</artifactId>\n<dependencies>\n<dependency>\n\
                 <groupId>a</groupId><artifactId> b </artifactId><version>1.0</version></dependency>\n\
                 <dependency><groupId>c</groupId><artifactId>d</artifactId><exclusions><exclusion>\
                 <groupId>e</groupId><artifactId>f</artifactId></exclusion></exclusions></dependency>\n\
                 </dependencies></project>",
                Ok(&["3: a:b 1.0", "5: c:d"]),
            ),
            (
                "<?xml version=\"1.0\"?>\n<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n\
                 <dependencyManagement><dependencies><dependency><groupId>a</groupId>\
                 <artifactId>b</artifactId></dependency></dependencies></dependencyManagement></project>",
                Ok(&["3: a:b"]),
            ),
            (
                "<project><build><plugins>\n<plugin><artifactId>p</artifactId><version>3</version>\
                 <configuration><dependencies><dependency>no</dependency></dependencies></configuration>\n\
                 <dependencies><dependency><groupId>a</groupId><artifactId>b</artifactId></dependency>\
                 </dependencies></plugin></plugins>\n<pluginManagement><plugins><plugin>\
                 <groupId>g</groupId><artifactId>q</artifactId></plugin></plugins></pluginManagement>\
                 </build></project>",
                Ok(&["2: org.apache.maven.plugins:p 3", "3: a:b", "4: g:q"]),
            ),
            (
                "<project><profiles><profile><properties><v>9</v></properties>\n<dependencies><dependency>\
                 <groupId>a</groupId><artifactId>b</artifactId><version>${v}</version></dependency>\
                 </dependencies></profile></profiles></project>",
                Ok(&["2: a:b 9"]),
            ),
            (
                "<project><parent><groupId>pg</groupId><version>7</version></parent>\
                 <properties><v>1.${w}</v><w>2</w><loop>${loop}</loop></properties><dependencies>\n\
                 <dependency><groupId>${project.groupId}</groupId><artifactId>a-${w}</artifactId>\
                 <version>${v}</version></dependency>\n\
                 <dependency><groupId>b</groupId><artifactId>b</artifactId>\
                 <version>${project.version}</version></dependency>\n\
                 <dependency><groupId>c</groupId><artifactId>c</artifactId>\
                 <version>${elsewhere}</version></dependency>\n\
                 <dependency><groupId>d</groupId><artifactId>d</artifactId>\
                 <version>${loop}</version></dependency>\n\
                 <dependency><groupId>e</groupId><artifactId>e</artifactId>\
                 <version>${</version></dependency></dependencies></project>",
                Ok(&[
                    "2: pg:a-2 1.2",
                    "3: b:b 7",
                    "4: c:c ${elsewhere}",
                    "5: d:d ${loop}",
                    "6: e:e ${",
                ]),
            ),
            (
                "<project><!-- <dependencies><dependency/></dependencies> -->\n<m:dependencies \
                 xmlns:m=\"x\"><m:dependency><m:groupId>a</m:groupId><m:artifactId>b</m:artifactId>\
                 </m:dependency></m:dependencies></project>",
                Ok(&["2: a:b"]),
            ),
            ("\u{feff}<project>\r\n</project>", Ok(&[])),
            ("<project><dependency/></project>", Ok(&[])),
            (
                "<project><dependencies>\n<dependency><artifactId>a</artifactId></dependency>\
                 </dependencies></project>",
                Err("line 2: `dependency` should name its `groupId`"),
            ),
            (
                "<project><build><plugins>\n\n<plugin/></plugins></build></project>",
                Err("line 3: `plugin` should name its `artifactId`"),
            ),
            (
                "<?xml version=\"1.0\"?>\n<!DOCTYPE project [<!ENTITY a \"b\">]>\n<project>&a;</project>",
                Err("line 2: a document type is not allowed"),
            ),
            ("\n<settings/>", Err("line 2: `settings` should be `project`")),
            ("<project>\n</projects>", Err("line 2: ")),
            ("<project>\n<a>", Err("line 2: ")),
            ("", Err("line 1: ")),
            ("<project>&b;</project>", Err("line 1: ")),
        ],
    );
}
